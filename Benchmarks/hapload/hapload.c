// SPDX-License-Identifier: Apache-2.0
// hapload: an independent HAP-over-IP load driver (controller side).
// One thread. libsodium for X25519/Ed25519/ChaCha20-Poly1305, OpenSSL BN for SRP-6a.
// See README.md for use. Prints one JSON object per run.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <openssl/bn.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define FRAME 1024
#define TAG 16
#define PATIENCE 20 // seconds without any answer

static void die(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "hapload: ");
    vfprintf(stderr, fmt, ap);
    fprintf(stderr, "\n");
    va_end(ap);
    exit(1);
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

// ---------------------------------------------------------------- options
static struct {
    const char *host;
    int port;
    const char *pairing; // file
    const char *code;    // XXX-XX-XXX
    const char *mode;
    long n;         // operations (all connections together)
    double secs;    // if > 0, run for this time instead of n
    int c;          // connections
    int fleet;      // accessories, at ports that count up; connection i is to accessory i mod fleet
    int k;          // ids in one GET
    long warm;      // warm-up operations
    const char *bodies; // file with bodies of PUTs, one a line (scene)
    double gap;     // ms between scenes
    int srv_pid;    // process whose CPU/RSS is read
    int aid, iid;   // characteristic to use; 0 = first On
    int bytes;      // echo message size
    const char *label;
    bool verbose;
} opt = {"127.0.0.1", 51826, "hapload.pairing", "111-22-333", NULL, 10000, 0, 1, 1, 1, -1, NULL, 0, 0, 0, 0, 300, "", false};

static char hosthdr[128];

// ---------------------------------------------------------------- small JSON DOM
typedef enum { J_NULL, J_FALSE, J_TRUE, J_NUM, J_STR, J_ARR, J_OBJ } jtype;
typedef struct {
    jtype t;
    const char *key, *s; // raw slices (escapes are left as they are)
    int klen, slen;
    double num;
    int first, next; // node indexes, -1 = none
} jnode;
typedef struct {
    jnode *v;
    int n, cap;
    const char *p, *e;
} jdoc;

static int jnew(jdoc *d, jtype t) {
    if (d->n == d->cap) {
        d->cap = d->cap ? d->cap * 2 : 256;
        d->v = realloc(d->v, sizeof(jnode) * (size_t)d->cap);
    }
    d->v[d->n] = (jnode){.t = t, .first = -1, .next = -1};
    return d->n++;
}
static void jws(jdoc *d) {
    while (d->p < d->e && (*d->p == ' ' || *d->p == '\n' || *d->p == '\t' || *d->p == '\r')) d->p++;
}
static bool jstr(jdoc *d, const char **s, int *len) {
    if (d->p >= d->e || *d->p != '"') return false;
    *s = ++d->p;
    while (d->p < d->e && *d->p != '"') {
        if ((unsigned char)*d->p < 0x20) return false;
        if (*d->p == '\\') d->p++;
        d->p++;
    }
    if (d->p >= d->e) return false;
    *len = (int)(d->p - *s);
    d->p++;
    return true;
}
static int jval(jdoc *d, int depth) {
    jws(d);
    if (d->p >= d->e || depth > 32) return -1;
    char ch = *d->p;
    if (ch == '{' || ch == '[') {
        bool obj = ch == '{';
        int me = jnew(d, obj ? J_OBJ : J_ARR), last = -1;
        d->p++;
        jws(d);
        if (d->p < d->e && *d->p == (obj ? '}' : ']')) {
            d->p++;
            return me;
        }
        for (;;) {
            const char *k = NULL;
            int kl = 0;
            jws(d);
            if (obj) {
                if (!jstr(d, &k, &kl)) return -1;
                jws(d);
                if (d->p >= d->e || *d->p++ != ':') return -1;
            }
            int ch2 = jval(d, depth + 1);
            if (ch2 < 0) return -1;
            d->v[ch2].key = k;
            d->v[ch2].klen = kl;
            if (last < 0) d->v[me].first = ch2;
            else d->v[last].next = ch2;
            last = ch2;
            jws(d);
            if (d->p >= d->e) return -1;
            if (*d->p == ',') {
                d->p++;
                continue;
            }
            if (*d->p == (obj ? '}' : ']')) {
                d->p++;
                return me;
            }
            return -1;
        }
    }
    if (ch == '"') {
        int me = jnew(d, J_STR);
        const char *s;
        int l;
        if (!jstr(d, &s, &l)) return -1;
        d->v[me].s = s;
        d->v[me].slen = l;
        return me;
    }
    size_t left = (size_t)(d->e - d->p);
    if (left >= 4 && !memcmp(d->p, "true", 4)) { d->p += 4; return jnew(d, J_TRUE); }
    if (left >= 5 && !memcmp(d->p, "false", 5)) { d->p += 5; return jnew(d, J_FALSE); }
    if (left >= 4 && !memcmp(d->p, "null", 4)) { d->p += 4; return jnew(d, J_NULL); }
    char tmp[40];
    size_t i = 0;
    while (d->p < d->e && i < sizeof tmp - 1 && strchr("0123456789+-.eE", *d->p)) tmp[i++] = *d->p++;
    if (!i) return -1;
    tmp[i] = 0;
    int me = jnew(d, J_NUM);
    char *end;
    d->v[me].num = strtod(tmp, &end);
    return *end ? -1 : me;
}
static bool jparse(jdoc *d, const char *p, size_t n) {
    d->n = 0;
    d->p = p;
    d->e = p + n;
    if (jval(d, 0) != 0) return false;
    jws(d);
    return d->p == d->e;
}
static int jget(const jdoc *d, int obj, const char *key) {
    size_t kl = strlen(key);
    for (int i = d->v[obj].first; i >= 0; i = d->v[i].next)
        if ((size_t)d->v[i].klen == kl && !memcmp(d->v[i].key, key, kl)) return i;
    return -1;
}
static long jint(const jdoc *d, int obj, const char *key, long dflt) {
    int i = jget(d, obj, key);
    return i >= 0 && d->v[i].t == J_NUM ? (long)d->v[i].num : dflt;
}

// ---------------------------------------------------------------- buffers, TLV8
typedef struct {
    uint8_t *p;
    size_t n, cap;
} buf;
static void bneed(buf *b, size_t more) {
    if (b->n + more > b->cap) {
        b->cap = (b->n + more) * 2;
        b->p = realloc(b->p, b->cap);
        if (!b->p) die("out of memory");
    }
}
static void bput(buf *b, const void *p, size_t n) {
    bneed(b, n);
    memcpy(b->p + b->n, p, n);
    b->n += n;
}
static void tlv(buf *b, uint8_t t, const void *v, size_t n) {
    const uint8_t *p = v;
    do {
        uint8_t l = n > 255 ? 255 : (uint8_t)n;
        uint8_t h[2] = {t, l};
        bput(b, h, 2);
        bput(b, p, l);
        p += l;
        n -= l;
        if (l < 255) break;
    } while (n);
}
// Collects (possibly fragmented) item t into out; returns its length or -1.
static int tlvget(const uint8_t *p, size_t n, uint8_t t, uint8_t *out, size_t max) {
    size_t i = 0, o = 0;
    bool found = false;
    while (i + 2 <= n) {
        uint8_t type = p[i], l = p[i + 1];
        if (i + 2 + l > n) return -1;
        if (type == t) {
            if (o + l > max) return -1;
            memcpy(out + o, p + i + 2, l);
            o += l;
            found = true;
            if (l < 255) break;
        } else if (found) break;
        i += 2u + l;
    }
    return found ? (int)o : -1;
}

static void hkdf(uint8_t *out, const uint8_t *ikm, size_t n, const char *salt, const char *info) {
    uint8_t prk[64], t[64], one = 1;
    crypto_auth_hmacsha512_state h;
    crypto_auth_hmacsha512_init(&h, (const uint8_t *)salt, strlen(salt));
    crypto_auth_hmacsha512_update(&h, ikm, n);
    crypto_auth_hmacsha512_final(&h, prk);
    crypto_auth_hmacsha512_init(&h, prk, 64);
    crypto_auth_hmacsha512_update(&h, (const uint8_t *)info, strlen(info));
    crypto_auth_hmacsha512_update(&h, &one, 1);
    crypto_auth_hmacsha512_final(&h, t);
    memcpy(out, t, 32);
}
static void strnonce(uint8_t n[12], const char *s) {
    memset(n, 0, 4);
    memcpy(n + 4, s, 8);
}
static void ctrnonce(uint8_t n[12], uint64_t c) {
    memset(n, 0, 4);
    for (int i = 0; i < 8; i++) n[4 + i] = (uint8_t)(c >> (8 * i));
}

// ---------------------------------------------------------------- pairing record
// One for each accessory.
static struct pairing {
    char id[64];        // controller pairing id
    uint8_t pk[32], sk[64];
    char aid[64];       // accessory pairing id
    uint8_t apk[32];
} *prs;
static int at; // the current accessory
#define pr (prs[at])
static void pairing_save(void) {
    FILE *f = fopen(opt.pairing, "w");
    if (!f) die("cannot write %s", opt.pairing);
    char a[65], b[129], c[65];
    for (at = 0; at < opt.fleet; at++) {
        sodium_bin2hex(a, sizeof a, pr.pk, 32);
        sodium_bin2hex(b, sizeof b, pr.sk, 64);
        sodium_bin2hex(c, sizeof c, pr.apk, 32);
        fprintf(f, "%s\n%s\n%s\n%s\n%s\n", pr.id, a, b, pr.aid, c);
    }
    at = 0;
    fclose(f);
}
static void pairing_load(void) {
    FILE *f = fopen(opt.pairing, "r");
    char a[80], b[160], c[80];
    if (!f) die("cannot read %s (run mode pair first)", opt.pairing);
    for (at = 0; at < opt.fleet; at++) {
        if (fscanf(f, "%63s %79s %159s %63s %79s", pr.id, a, b, pr.aid, c) != 5) die("bad pairing file");
        size_t l;
        if (sodium_hex2bin(pr.pk, 32, a, strlen(a), NULL, &l, NULL) || sodium_hex2bin(pr.sk, 64, b, strlen(b), NULL, &l, NULL) ||
            sodium_hex2bin(pr.apk, 32, c, strlen(c), NULL, &l, NULL))
            die("bad pairing file");
    }
    at = 0;
    fclose(f);
}

// ---------------------------------------------------------------- connection
typedef struct conn conn;
typedef struct {
    bool event;
    int status;
    const char *body;
    size_t blen;
} msg;
typedef void (*msgfn)(conn *, msg *);
struct conn {
    int fd, idx;
    bool secure, rawecho;
    uint8_t wkey[32], rkey[32];
    uint64_t wctr, rctr;
    buf rx, pt, tx, chunk;
    size_t rxoff, ptoff;
    uint64_t t0, tmsg;
    msgfn fn;
    int stage;
    uint8_t esk[32], epk[32];
    bool val;
    int what; // the current operation
    int got;
    bool closed;
};

static void send_all(conn *c, const uint8_t *p, size_t n) {
    while (n) {
        ssize_t r = send(c->fd, p, n, MSG_NOSIGNAL);
        if (r < 0) {
            if (errno == EINTR) continue;
            die("send: %s (connection %d)", strerror(errno), c->idx);
        }
        p += r;
        n -= (size_t)r;
    }
}
static void conn_send(conn *c, const void *data, size_t n) {
    const uint8_t *p = data;
    if (!c->secure) {
        send_all(c, p, n);
        return;
    }
    c->tx.n = 0;
    while (n) {
        size_t l = n > FRAME ? FRAME : n;
        uint8_t aad[2] = {(uint8_t)l, (uint8_t)(l >> 8)}, nonce[12];
        bneed(&c->tx, 2 + l + TAG);
        memcpy(c->tx.p + c->tx.n, aad, 2);
        ctrnonce(nonce, c->wctr++);
        crypto_aead_chacha20poly1305_ietf_encrypt(c->tx.p + c->tx.n + 2, NULL, p, l, aad, 2, NULL, nonce, c->wkey);
        c->tx.n += 2 + l + TAG;
        p += l;
        n -= l;
    }
    send_all(c, c->tx.p, c->tx.n);
}

// Returns consumed bytes, 0 if incomplete.
static size_t http_parse(conn *c, const uint8_t *p, size_t n, msg *m) {
    const char *s = (const char *)p, *he = memmem(s, n, "\r\n\r\n", 4);
    if (!he) {
        if (n > 65536) die("header too long");
        return 0;
    }
    size_t h = (size_t)(he - s) + 4;
    if (h > 16 && !memcmp(s, "HTTP/1.1 ", 9)) m->event = false;
    else if (h > 16 && !memcmp(s, "EVENT/1.0 ", 10)) m->event = true;
    else die("bad status line: %.*s", (int)(h > 60 ? 60 : h), s);
    m->status = atoi(s + (m->event ? 10 : 9));
    size_t len = 0;
    bool chunked = false, haslen = false;
    for (const char *l = memmem(s, h, "\r\n", 2) + 2; l < he + 2;) {
        const char *e = memmem(l, (size_t)(he + 2 - l), "\r\n", 2);
        if (!strncasecmp(l, "content-length:", 15)) {
            len = strtoul(l + 15, NULL, 10);
            haslen = true;
        } else if (!strncasecmp(l, "transfer-encoding:", 18)) {
            if (memmem(l, (size_t)(e - l), "chunked", 7)) chunked = true;
        }
        l = e + 2;
    }
    if (chunked) {
        c->chunk.n = 0;
        size_t i = h;
        for (;;) {
            const char *e = i < n ? memmem(s + i, n - i, "\r\n", 2) : NULL;
            if (!e) return 0;
            size_t cl = strtoul(s + i, NULL, 16);
            i = (size_t)(e - s) + 2;
            if (i + cl + 2 > n) return 0;
            if (cl) bput(&c->chunk, s + i, cl);
            if (memcmp(s + i + cl, "\r\n", 2)) die("bad chunk end");
            i += cl + 2;
            if (!cl) break;
        }
        m->body = (const char *)c->chunk.p;
        m->blen = c->chunk.n;
        return i;
    }
    if (!haslen && m->status != 204) die("response %d has neither length nor chunks", m->status);
    if (h + len > n) return 0;
    m->body = s + h;
    m->blen = len;
    return h + len;
}

static uint64_t bytes_in;
static long hs_retries;
static bool hs_retry(conn *c);
// One recv and its processing. flags: 0 or MSG_DONTWAIT.
// Returns false when the peer closed.
static bool pump(conn *c, int flags) {
    if (c->rxoff == c->rx.n) c->rxoff = c->rx.n = 0;
    bneed(&c->rx, 65536);
    ssize_t r = recv(c->fd, c->rx.p + c->rx.n, c->rx.cap - c->rx.n, flags);
    if (r < 0) {
        if (errno == EINTR || (errno == EAGAIN && flags)) return true;
        if (errno == EAGAIN) die("no answer in %d s (connection %d)", PATIENCE, c->idx);
        die("recv: %s (connection %d)", strerror(errno), c->idx);
    }
    if (r == 0) {
        c->closed = true;
        return false;
    }
    c->tmsg = now_ns();
    bytes_in += (uint64_t)r;
    c->rx.n += (size_t)r;
    if (c->rawecho) {
        c->fn(c, NULL);
        return true;
    }
    if (c->ptoff == c->pt.n) c->ptoff = c->pt.n = 0;
    if (!c->secure) {
        bput(&c->pt, c->rx.p + c->rxoff, c->rx.n - c->rxoff);
        c->rxoff = c->rx.n = 0;
        // Some servers turn encryption on before M4 has left (a race). Count it and repeat.
        if (c->pt.n - c->ptoff >= 5 && memcmp(c->pt.p + c->ptoff, "HTTP/", 5) && hs_retry(c)) return true;
    } else {
        while (c->rx.n - c->rxoff >= 2) {
            uint8_t *f = c->rx.p + c->rxoff, nonce[12];
            size_t l = (size_t)f[0] | (size_t)f[1] << 8;
            if (l > FRAME) die("frame of %zu bytes", l);
            if (c->rx.n - c->rxoff < 2 + l + TAG) break;
            bneed(&c->pt, l);
            ctrnonce(nonce, c->rctr++);
            if (crypto_aead_chacha20poly1305_ietf_decrypt(c->pt.p + c->pt.n, NULL, NULL, f + 2, l + TAG, f, 2, nonce, c->rkey))
                die("frame authentication failed");
            c->pt.n += l;
            c->rxoff += 2 + l + TAG;
        }
        if (c->rxoff && c->rxoff < c->rx.n) {
            memmove(c->rx.p, c->rx.p + c->rxoff, c->rx.n - c->rxoff);
            c->rx.n -= c->rxoff;
            c->rxoff = 0;
        }
    }
    while (c->pt.n > c->ptoff && !c->closed) {
        msg m = {0};
        size_t used = http_parse(c, c->pt.p + c->ptoff, c->pt.n - c->ptoff, &m);
        if (!used) break;
        bool sec = c->secure;
        c->ptoff += used;
        c->fn(c, &m);
        if (!sec && c->secure) break; // keys are active: no plain text may follow
    }
    return true;
}

static void conn_open(conn *c) {
    struct sockaddr_in sa = {.sin_family = AF_INET, .sin_port = htons((uint16_t)(opt.port + c->idx % opt.fleet))};
    if (inet_pton(AF_INET, opt.host, &sa.sin_addr) != 1) die("host must be an IPv4 address");
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0) die("socket: %s", strerror(errno));
    if (connect(c->fd, (struct sockaddr *)&sa, sizeof sa)) die("connect: %s", strerror(errno));
    int one = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct timeval tv = {.tv_sec = PATIENCE};
    setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
    c->secure = c->closed = false;
    c->rx.n = c->rxoff = c->pt.n = c->ptoff = 0;
    c->wctr = c->rctr = 0;
}
static void conn_close(conn *c) {
    close(c->fd);
    c->fd = -1;
    c->closed = true;
}

static void post(conn *c, const char *path, const uint8_t *b, size_t n) {
    char h[256];
    int hl = snprintf(h, sizeof h, "POST %s HTTP/1.1\r\n%sContent-Type: application/pairing+tlv8\r\nContent-Length: %zu\r\n\r\n", path, hosthdr, n);
    buf t = {0};
    bput(&t, h, (size_t)hl);
    bput(&t, b, n);
    conn_send(c, t.p, t.n);
    free(t.p);
}

// ---- synchronous helper
static struct {
    int status;
    buf body;
    bool done;
} sy;
static void on_sync(conn *c, msg *m) {
    (void)c;
    if (m->event) return;
    sy.status = m->status;
    sy.body.n = 0;
    bput(&sy.body, m->body, m->blen);
    sy.done = true;
}
static void sync_wait(conn *c) {
    c->fn = on_sync;
    sy.done = false;
    while (!sy.done)
        if (!pump(c, 0)) die("the peer closed the connection");
}

// ---------------------------------------------------------------- Pair-Verify
static void (*hs_done)(conn *);
static void on_hs(conn *c, msg *m);
static void hs_start(conn *c) {
    conn_open(c);
    crypto_box_keypair(c->epk, c->esk);
    buf b = {0};
    tlv(&b, 6, "\x01", 1);
    tlv(&b, 3, c->epk, 32);
    c->stage = 1;
    c->fn = on_hs;
    post(c, "/pair-verify", b.p, b.n);
    free(b.p);
}
static void on_hs(conn *c, msg *m) {
    static uint8_t spk[33], enc[1024], sub[1024], sig[65];
    const uint8_t *p = (const uint8_t *)m->body;
    uint8_t err, key[32], nonce[12];
    static uint8_t shared[4096][32];
    if (c->idx >= 4096) die("too many connections");
    at = c->idx % opt.fleet;
    if (m->status != 200) die("pair-verify: HTTP %d", m->status);
    if (tlvget(p, m->blen, 7, &err, 1) > 0) die("pair-verify: stage %d: kTLVError %d", c->stage, err);
    if (c->stage == 1) {
        if (tlvget(p, m->blen, 3, spk, 32) != 32) die("pair-verify M2: no key");
        int el = tlvget(p, m->blen, 5, enc, sizeof enc);
        if (el < 16) die("pair-verify M2: no data");
        if (crypto_scalarmult(shared[c->idx], c->esk, spk)) die("bad point");
        hkdf(key, shared[c->idx], 32, "Pair-Verify-Encrypt-Salt", "Pair-Verify-Encrypt-Info");
        strnonce(nonce, "PV-Msg02");
        if (crypto_aead_chacha20poly1305_ietf_decrypt(sub, NULL, NULL, enc, (size_t)el, NULL, 0, nonce, key)) die("pair-verify M2: bad tag");
        char id[65] = {0};
        int il = tlvget(sub, (size_t)el - 16, 1, (uint8_t *)id, 64);
        if (il < 0 || strcmp(id, pr.aid)) die("pair-verify M2: id '%s', paired with '%s'", id, pr.aid);
        if (tlvget(sub, (size_t)el - 16, 10, sig, 64) != 64) die("pair-verify M2: no signature");
        buf b = {0};
        bput(&b, spk, 32);
        bput(&b, id, (size_t)il);
        bput(&b, c->epk, 32);
        if (crypto_sign_verify_detached(sig, b.p, b.n, pr.apk)) die("pair-verify M2: bad signature");
        b.n = 0;
        bput(&b, c->epk, 32);
        bput(&b, pr.id, strlen(pr.id));
        bput(&b, spk, 32);
        crypto_sign_detached(sig, NULL, b.p, b.n, pr.sk);
        b.n = 0;
        tlv(&b, 1, pr.id, strlen(pr.id));
        tlv(&b, 10, sig, 64);
        strnonce(nonce, "PV-Msg03");
        crypto_aead_chacha20poly1305_ietf_encrypt(enc, NULL, b.p, b.n, NULL, 0, NULL, nonce, key);
        size_t n = b.n + 16;
        b.n = 0;
        tlv(&b, 6, "\x03", 1);
        tlv(&b, 5, enc, n);
        c->stage = 2;
        post(c, "/pair-verify", b.p, b.n);
        free(b.p);
    } else {
        uint8_t st = 0;
        if (tlvget(p, m->blen, 6, &st, 1) != 1 || st != 4) die("pair-verify: no M4");
        hkdf(c->wkey, shared[c->idx], 32, "Control-Salt", "Control-Write-Encryption-Key");
        hkdf(c->rkey, shared[c->idx], 32, "Control-Salt", "Control-Read-Encryption-Key");
        c->secure = true;
        c->stage = 3;
        hs_done(c);
    }
}
static bool hs_in_loop;
static void ep_add(conn *c);
static bool hs_retry(conn *c) {
    if (c->fn != on_hs) return false;
    if (++hs_retries > 1000) die("too many handshakes failed");
    conn_close(c);
    hs_start(c);
    if (hs_in_loop) ep_add(c);
    return true;
}
static void hs_noop(conn *c) { (void)c; }
static void verify_sync(conn *c) {
    at = c->idx % opt.fleet;
    hs_done = hs_noop;
    hs_start(c);
    while (c->stage != 3)
        if (!pump(c, 0)) die("the peer closed during pair-verify");
}

// ---------------------------------------------------------------- Pair-Setup (SRP-6a, 3072 bit, SHA-512)
static const char *N3072 =
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B"
    "302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7EDEE386BFB5A899FA5AE9F24117C4B1FE6"
    "49286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F83655D23DCA3AD961C62F356208552BB9ED529077096966D"
    "670C354E4ABC9804F1746C08CA18217C32905E462E36CE3BE39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF695581718"
    "3995497CEA956AE515D2261898FA051015728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7D"
    "B3970F85A6E1E4C7ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200C"
    "BBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF";

typedef struct {
    const void *p;
    size_t n;
} piece;
static void sha512v(uint8_t out[64], int k, ...) {
    crypto_hash_sha512_state h;
    crypto_hash_sha512_init(&h);
    va_list ap;
    va_start(ap, k);
    for (int i = 0; i < k; i++) {
        piece q = va_arg(ap, piece);
        crypto_hash_sha512_update(&h, q.p, q.n);
    }
    va_end(ap);
    crypto_hash_sha512_final(&h, out);
}
#define P(x, l) ((piece){(x), (l)})

static uint64_t srv_cpu(void);
static double pair_ms;
static void pair_one(int accessory) {
    BN_CTX *bc = BN_CTX_new();
    BIGNUM *N = NULL, *g = BN_new(), *a = BN_new(), *A = BN_new(), *B = BN_new(), *k = BN_new(), *x = BN_new(), *u = BN_new(),
           *t = BN_new(), *S = BN_new(), *e = BN_new();
    BN_hex2bn(&N, N3072);
    BN_set_word(g, 5);
    uint8_t Nb[384], gp[384] = {0}, Ab[384], Bb[385], Sb[384], h[64], hN[64], hg[64], K[64], salt[64], M1[64], M2[64], got[65], one = 5;
    BN_bn2binpad(N, Nb, 384);
    gp[383] = 5;
    at = accessory;
    conn c = {.idx = accessory};
    uint64_t tstart = now_ns(), cpu0 = srv_cpu();
    conn_open(&c);
    buf b = {0};
    uint64_t t1, t2, t3, t4, t5, t6;
    uint8_t err;
    // M1
    tlv(&b, 6, "\x01", 1);
    tlv(&b, 0, "\x00", 1);
    t1 = now_ns();
    post(&c, "/pair-setup", b.p, b.n);
    sync_wait(&c);
    t2 = now_ns();
    if (sy.status != 200) die("pair-setup M2: HTTP %d", sy.status);
    if (tlvget(sy.body.p, sy.body.n, 7, &err, 1) > 0) die("pair-setup M2: kTLVError %d", err);
    int sl = tlvget(sy.body.p, sy.body.n, 2, salt, sizeof salt);
    int bl = tlvget(sy.body.p, sy.body.n, 3, Bb, 384);
    if (sl != 16 || bl < 380) die("pair-setup M2: salt %d, key %d bytes", sl, bl);
    BN_bin2bn(Bb, bl, B);
    BN_bn2binpad(B, Bb, 384);
    if (BN_is_zero(B) || BN_cmp(B, N) >= 0) die("pair-setup M2: bad B");
    if (!Bb[0]) fprintf(stderr, "hapload: note: B has a leading zero byte\n");
    sha512v(h, 2, P(Nb, 384), P(gp, 384));
    BN_bin2bn(h, 64, k);
    char idpw[64];
    snprintf(idpw, sizeof idpw, "Pair-Setup:%s", opt.code);
    sha512v(h, 1, P(idpw, strlen(idpw)));
    sha512v(h, 2, P(salt, 16), P(h, 64));
    BN_bin2bn(h, 64, x);
    // Values with a leading zero byte are drawn again: implementations differ in how they hash them.
    do {
        do {
            uint8_t ab[32];
            randombytes_buf(ab, sizeof ab);
            BN_bin2bn(ab, sizeof ab, a);
            BN_mod_exp(A, g, a, N, bc);
            BN_bn2binpad(A, Ab, 384);
        } while (!Ab[0]);
        sha512v(h, 2, P(Ab, 384), P(Bb, 384));
        BN_bin2bn(h, 64, u);
        BN_mod_exp(t, g, x, N, bc);
        BN_mod_mul(t, t, k, N, bc);
        BN_mod_sub(t, B, t, N, bc);
        BN_mul(e, u, x, bc);
        BN_add(e, e, a);
        BN_mod_exp(S, t, e, N, bc);
        BN_bn2binpad(S, Sb, 384);
    } while (!Sb[0]);
    sha512v(K, 1, P(Sb, 384));
    sha512v(hN, 1, P(Nb, 384));
    sha512v(hg, 1, P(&one, 1));
    for (int i = 0; i < 64; i++) hN[i] ^= hg[i];
    sha512v(h, 1, P("Pair-Setup", 10));
    size_t bskip = 0;
    while (!Bb[bskip]) bskip++;
    sha512v(M1, 6, P(hN, 64), P(h, 64), P(salt, 16), P(Ab, 384), P(Bb + bskip, 384 - bskip), P(K, 64));
    sha512v(M2, 3, P(Ab, 384), P(M1, 64), P(K, 64));
    // M3
    b.n = 0;
    tlv(&b, 6, "\x03", 1);
    tlv(&b, 3, Ab, 384);
    tlv(&b, 4, M1, 64);
    t3 = now_ns();
    post(&c, "/pair-setup", b.p, b.n);
    sync_wait(&c);
    t4 = now_ns();
    if (tlvget(sy.body.p, sy.body.n, 7, &err, 1) > 0) die("pair-setup M4: kTLVError %d", err);
    if (tlvget(sy.body.p, sy.body.n, 4, got, 64) != 64 || memcmp(got, M2, 64)) die("pair-setup M4: wrong server proof");
    // M5
    uint8_t rid[16], X[32], key[32], nonce[12], sig[64], enc[1024], sub[1024], st = 0;
    randombytes_buf(rid, 16);
    snprintf(pr.id, sizeof pr.id, "%02X%02X%02X%02X-%02X%02X-4%02X%X-A%02X%X-%02X%02X%02X%02X%02X%02X", rid[0], rid[1], rid[2], rid[3], rid[4], rid[5],
             rid[6], rid[7] & 15, rid[8], rid[9] & 15, rid[10], rid[11], rid[12], rid[13], rid[14], rid[15]);
    crypto_sign_keypair(pr.pk, pr.sk);
    hkdf(X, K, 64, "Pair-Setup-Controller-Sign-Salt", "Pair-Setup-Controller-Sign-Info");
    hkdf(key, K, 64, "Pair-Setup-Encrypt-Salt", "Pair-Setup-Encrypt-Info");
    b.n = 0;
    bput(&b, X, 32);
    bput(&b, pr.id, strlen(pr.id));
    bput(&b, pr.pk, 32);
    crypto_sign_detached(sig, NULL, b.p, b.n, pr.sk);
    b.n = 0;
    tlv(&b, 1, pr.id, strlen(pr.id));
    tlv(&b, 3, pr.pk, 32);
    tlv(&b, 10, sig, 64);
    strnonce(nonce, "PS-Msg05");
    crypto_aead_chacha20poly1305_ietf_encrypt(enc, NULL, b.p, b.n, NULL, 0, NULL, nonce, key);
    size_t en = b.n + 16;
    b.n = 0;
    tlv(&b, 6, "\x05", 1);
    tlv(&b, 5, enc, en);
    t5 = now_ns();
    post(&c, "/pair-setup", b.p, b.n);
    sync_wait(&c);
    t6 = now_ns();
    if (tlvget(sy.body.p, sy.body.n, 7, &err, 1) > 0) die("pair-setup M6: kTLVError %d", err);
    if (tlvget(sy.body.p, sy.body.n, 6, &st, 1) != 1 || st != 6) die("pair-setup: no M6");
    int el = tlvget(sy.body.p, sy.body.n, 5, enc, sizeof enc);
    strnonce(nonce, "PS-Msg06");
    if (el < 16 || crypto_aead_chacha20poly1305_ietf_decrypt(sub, NULL, NULL, enc, (size_t)el, NULL, 0, nonce, key)) die("pair-setup M6: bad tag");
    int il = tlvget(sub, (size_t)el - 16, 1, (uint8_t *)pr.aid, 63);
    if (il < 1 || tlvget(sub, (size_t)el - 16, 3, pr.apk, 32) != 32 || tlvget(sub, (size_t)el - 16, 10, sig, 64) != 64) die("pair-setup M6: fields");
    pr.aid[il] = 0;
    hkdf(X, K, 64, "Pair-Setup-Accessory-Sign-Salt", "Pair-Setup-Accessory-Sign-Info");
    b.n = 0;
    bput(&b, X, 32);
    bput(&b, pr.aid, (size_t)il);
    bput(&b, pr.apk, 32);
    if (crypto_sign_verify_detached(sig, b.p, b.n, pr.apk)) die("pair-setup M6: bad signature");
    uint64_t tend = now_ns(), cpu1 = srv_cpu();
    conn_close(&c);
    pair_ms += (double)(tend - tstart) / 1e6;
    if (opt.fleet > 1) return;
    pairing_save();
    conn v = {.idx = 0};
    uint64_t v0 = now_ns();
    verify_sync(&v);
    uint64_t v1 = now_ns();
    conn_close(&v);
    printf("{\"mode\":\"pair\",\"label\":\"%s\",\"total_ms\":%.3f,\"m1_m2_ms\":%.3f,\"m3_m4_ms\":%.3f,\"m5_m6_ms\":%.3f,\"server_ms\":%.3f,"
           "\"verify_ms\":%.3f,\"srv_cpu_ms\":%.3f,\"accessory_id\":\"%s\"}\n",
           opt.label, (double)(tend - tstart) / 1e6, (double)(t2 - t1) / 1e6, (double)(t4 - t3) / 1e6, (double)(t6 - t5) / 1e6,
           (double)(t2 - t1 + t4 - t3 + t6 - t5) / 1e6, (double)(v1 - v0) / 1e6, (double)(cpu1 - cpu0) / 1e6, pr.aid);
}
static int mode_pair(void) {
    for (int i = 0; i < opt.fleet; i++) pair_one(i);
    if (opt.fleet == 1) return 0;
    pairing_save();
    printf("{\"mode\":\"pair\",\"label\":\"%s\",\"accessories\":%d,\"total_ms\":%.3f}\n", opt.label, opt.fleet, pair_ms);
    return 0;
}

static int mode_unpair(void) {
    conn c = {.idx = 0};
    verify_sync(&c);
    buf b = {0};
    tlv(&b, 6, "\x01", 1);
    tlv(&b, 0, "\x04", 1);
    tlv(&b, 1, pr.id, strlen(pr.id));
    post(&c, "/pairings", b.p, b.n);
    sync_wait(&c);
    uint8_t st = 0, err = 0;
    int e = tlvget(sy.body.p, sy.body.n, 7, &err, 1);
    bool ok = sy.status == 200 && e < 1 && tlvget(sy.body.p, sy.body.n, 6, &st, 1) == 1 && st == 2;
    printf("{\"mode\":\"unpair\",\"ok\":%s,\"status\":%d,\"error\":%d}\n", ok ? "true" : "false", sy.status, err);
    return !ok;
}

// ---------------------------------------------------------------- attribute database
typedef struct {
    long aid, iid;
} cid;
static cid *ids; // every On characteristic
static int nids;
static int n_acc, n_chr;
static size_t acc_bytes;
static double acc_first_ms;
static bool is_on(const char *s, int l) {
    if (l == 36 && !strncasecmp(s + 8, "-0000-1000-8000-0026BB765291", 28)) l = 8;
    else if (l > 8) return false;
    while (l > 1 && *s == '0') s++, l--;
    return l == 2 && !memcmp(s, "25", 2);
}
static void load_db(conn *c) {
    char req[256];
    int rl = snprintf(req, sizeof req, "GET /accessories HTTP/1.1\r\n%s\r\n", hosthdr);
    uint64_t t = now_ns();
    conn_send(c, req, (size_t)rl);
    sync_wait(c);
    acc_first_ms = (double)(now_ns() - t) / 1e6;
    if (sy.status != 200) die("/accessories: HTTP %d", sy.status);
    acc_bytes = sy.body.n;
    jdoc d = {0};
    if (!jparse(&d, (char *)sy.body.p, sy.body.n)) die("/accessories: not JSON");
    int as = jget(&d, 0, "accessories");
    if (as < 0) die("/accessories: no accessories");
    n_acc = n_chr = nids = 0;
    for (int a = d.v[as].first; a >= 0; a = d.v[a].next) {
        long aid = jint(&d, a, "aid", -1);
        int ss = jget(&d, a, "services");
        if (aid < 1 || ss < 0) die("/accessories: bad accessory");
        n_acc++;
        for (int s = d.v[ss].first; s >= 0; s = d.v[s].next) {
            int cs = jget(&d, s, "characteristics");
            for (int ch = cs < 0 ? -1 : d.v[cs].first; ch >= 0; ch = d.v[ch].next) {
                long iid = jint(&d, ch, "iid", -1);
                int ty = jget(&d, ch, "type");
                if (iid < 1 || ty < 0) die("/accessories: bad characteristic");
                n_chr++;
                if (is_on(d.v[ty].s, d.v[ty].slen)) {
                    ids = realloc(ids, sizeof(cid) * (size_t)(nids + 1));
                    ids[nids++] = (cid){aid, iid};
                }
            }
        }
    }
    free(d.v);
    if (opt.aid) {
        ids = realloc(ids, sizeof(cid) * (size_t)(nids + 1));
        ids[0] = (cid){opt.aid, opt.iid};
        if (!nids) nids = 1;
    }
    if (!nids) die("no On characteristic found (give -a aid.iid)");
}

// ---------------------------------------------------------------- measurement
static uint64_t *lat;
static size_t nlat, caplat;
static void lat_add(uint64_t ns) {
    if (nlat == caplat) {
        caplat = caplat ? caplat * 2 : 1 << 16;
        lat = realloc(lat, caplat * sizeof *lat);
    }
    lat[nlat++] = ns;
}
static int cmp64(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}
static double pct(double p) {
    if (!nlat) return 0;
    size_t i = (size_t)(p * (double)(nlat - 1) + 0.5);
    return (double)lat[i] / 1e3;
}
typedef struct {
    uint64_t wall, cli, srv, bytes;
    long rss, anon;
} snap;
static uint64_t srv_cpu(void) {
    clockid_t id;
    struct timespec t;
    if (!opt.srv_pid || clock_getcpuclockid(opt.srv_pid, &id) || clock_gettime(id, &t)) return 0;
    return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}
static void srv_mem(long *rss, long *anon) {
    char p[64], l[256];
    *rss = *anon = 0;
    if (!opt.srv_pid) return;
    snprintf(p, sizeof p, "/proc/%d/smaps_rollup", opt.srv_pid);
    FILE *f = fopen(p, "r");
    if (!f) return;
    while (fgets(l, sizeof l, f)) {
        sscanf(l, "Rss: %ld", rss);
        sscanf(l, "Anonymous: %ld", anon);
    }
    fclose(f);
}
static snap take(void) {
    snap s;
    struct rusage r;
    srv_mem(&s.rss, &s.anon);
    getrusage(RUSAGE_SELF, &r);
    s.cli = (uint64_t)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000000ull + (uint64_t)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1000ull;
    s.srv = srv_cpu();
    s.bytes = bytes_in;
    s.wall = now_ns();
    return s;
}
static long errors;
static void report(const char *mode, long ops, snap a, snap b, const char *extra) {
    double secs = (double)(b.wall - a.wall) / 1e9, o = ops ? (double)ops : 1;
    qsort(lat, nlat, sizeof *lat, cmp64);
    printf("{\"mode\":\"%s\",\"label\":\"%s\",\"c\":%d,\"ops\":%ld,\"secs\":%.4f,\"rps\":%.1f,\"p50_us\":%.1f,\"p90_us\":%.1f,\"p99_us\":%.1f,\"max_us\":%.1f,"
           "\"errors\":%ld,\"hs_retries\":%ld,\"wire_bytes_per_op\":%.0f,\"cli_cpu_us_per_op\":%.2f,\"cli_cpu_pct\":%.1f,\"srv_cpu_us_per_op\":%.2f,\"srv_cpu_pct\":%.1f,"
           "\"rss_kb\":%ld,\"anon_kb\":%ld%s%s}\n",
           mode, opt.label, opt.c, ops, secs, (double)ops / secs, pct(.5), pct(.9), pct(.99), nlat ? (double)lat[nlat - 1] / 1e3 : 0, errors, hs_retries,
           (double)(b.bytes - a.bytes) / o, (double)(b.cli - a.cli) / 1e3 / o, (double)(b.cli - a.cli) / 1e7 / secs, (double)(b.srv - a.srv) / 1e3 / o,
           (double)(b.srv - a.srv) / 1e7 / secs, b.rss, b.anon, extra && *extra ? "," : "", extra ? extra : "");
}

// ---------------------------------------------------------------- event loop
static int ep = -1;
static conn *conns;
static bool stop_loop;
static void ep_add(conn *c) {
    struct epoll_event ev = {.events = EPOLLIN, .data.ptr = c};
    if (epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &ev)) die("epoll_ctl: %s", strerror(errno));
}
// One connection: block in recv. More: epoll. deadline 0 = none.
static bool loop(uint64_t deadline) {
    stop_loop = false;
    if (opt.c == 1 && !deadline) {
        while (!stop_loop)
            if (!pump(&conns[0], 0)) die("the peer closed the connection");
        return true;
    }
    struct epoll_event ev[256];
    while (!stop_loop) {
        int to = PATIENCE * 1000;
        if (deadline) {
            uint64_t t = now_ns();
            if (t >= deadline) return false;
            to = (int)((deadline - t) / 1000000) + 1;
        }
        int k = epoll_wait(ep, ev, 256, to);
        if (k < 0 && errno != EINTR) die("epoll_wait: %s", strerror(errno));
        if (k == 0 && !deadline) die("no answer in %d s", PATIENCE);
        for (int i = 0; i < k; i++) {
            conn *c = ev[i].data.ptr;
            if (c->fd < 0) continue;
            if (!pump(c, MSG_DONTWAIT)) die("the peer closed connection %d", c->idx);
        }
    }
    return true;
}

// ---------------------------------------------------------------- closed loop get / put / acc / echo
// OP_PUTACC: alternately, so that no rendering of /accessories can be cached.
enum { OP_GET, OP_PUT, OP_ACC, OP_PUTACC, OP_ECHO };
static int op;
static long issued, finished, target, warm_left;
static uint64_t t_end;
static snap s0, s1;
static char *req;
static size_t reqlen;
static jdoc jd;
static uint8_t *ref;
static size_t reflen;
static uint8_t *echobuf;

static void fail(const char *what, msg *m) {
    if (errors++ < 3) fprintf(stderr, "hapload: bad answer: %s: HTTP %d %.*s\n", what, m->status, (int)(m->blen > 200 ? 200 : m->blen), m->body);
}
static void issue(conn *c) {
    issued++;
    c->t0 = now_ns();
    c->what = op == OP_PUTACC ? (c->what == OP_PUT ? OP_ACC : OP_PUT) : op;
    if (c->what == OP_PUT) {
        char b[320], h[512];
        c->val = !c->val;
        int bl = snprintf(b, sizeof b, "{\"characteristics\":[{\"aid\":%ld,\"iid\":%ld,\"value\":%s}]}", ids[0].aid, ids[0].iid, c->val ? "true" : "false");
        int hl = snprintf(h, sizeof h, "PUT /characteristics HTTP/1.1\r\n%sContent-Type: application/hap+json\r\nContent-Length: %d\r\n\r\n%s", hosthdr, bl, b);
        conn_send(c, h, (size_t)hl);
    } else if (op == OP_ECHO) {
        c->got = 0;
        conn_send(c, echobuf, (size_t)opt.bytes);
    } else conn_send(c, req, reqlen);
}
static void check(conn *c, msg *m) {
    if (c->what == OP_PUT) {
        if (m->status != 204) fail("put", m);
    } else if (c->what == OP_ACC) {
        if (m->status != 200) fail("accessories", m);
        else if (m->blen != reflen || memcmp(m->body, ref, reflen)) {
            if (!jparse(&jd, m->body, m->blen)) fail("accessories", m);
        }
    } else {
        if (m->status != 200 || !jparse(&jd, m->body, m->blen)) {
            fail("get", m);
            return;
        }
        int cs = jget(&jd, 0, "characteristics"), i = 0;
        for (int n = cs < 0 ? -1 : jd.v[cs].first; n >= 0; n = jd.v[n].next, i++)
            if (i >= opt.k || jint(&jd, n, "aid", 0) != ids[i].aid || jint(&jd, n, "iid", 0) != ids[i].iid || jget(&jd, n, "value") < 0 ||
                jint(&jd, n, "status", 0)) {
                fail("get", m);
                return;
            }
        if (i != opt.k) fail("get: count", m);
    }
}
static void on_op(conn *c, msg *m) {
    if (op == OP_ECHO && c->rawecho) {
        c->got += (int)(c->rx.n - c->rxoff);
        c->rxoff = c->rx.n;
        if (c->got < opt.bytes) return;
    } else if (op != OP_ECHO) {
        if (m->event) return;
        check(c, m);
    }
    uint64_t t = c->tmsg;
    if (warm_left > 0) {
        if (--warm_left == 0) {
            s0 = take();
            if (opt.secs > 0) t_end = s0.wall + (uint64_t)(opt.secs * 1e9);
            issued = opt.c - 1; // the others are in flight
            finished = 0;
        }
        issue(c);
        return;
    }
    lat_add(t - c->t0);
    finished++;
    bool more = opt.secs > 0 ? t < t_end : issued < target;
    if (more) issue(c);
    else if (opt.secs > 0 ? t >= t_end : finished >= target) {
        if (!stop_loop) s1 = take();
        stop_loop = true;
    }
}
static void open_all(void) {
    conns = calloc((size_t)opt.c, sizeof *conns);
    ep = epoll_create1(0);
    for (int i = 0; i < opt.c; i++) {
        conns[i].idx = i;
        verify_sync(&conns[i]);
        ep_add(&conns[i]);
    }
}
static int mode_ops(void) {
    long rss0, anon0;
    srv_mem(&rss0, &anon0);
    open_all();
    load_db(&conns[0]);
    if (op == OP_ACC || op == OP_PUTACC) {
        reflen = sy.body.n;
        ref = malloc(reflen);
        memcpy(ref, sy.body.p, reflen);
    }
    if (opt.k > nids) die("only %d On characteristics", nids);
    char *p = NULL;
    size_t pl = 0;
    FILE *f = open_memstream(&p, &pl);
    if (op == OP_ACC || op == OP_PUTACC) fprintf(f, "GET /accessories HTTP/1.1\r\n%s\r\n", hosthdr);
    else {
        fprintf(f, "GET /characteristics?id=");
        for (int i = 0; i < opt.k; i++) fprintf(f, "%s%ld.%ld", i ? "," : "", ids[i].aid, ids[i].iid);
        fprintf(f, " HTTP/1.1\r\n%s\r\n", hosthdr);
    }
    fclose(f);
    req = p;
    reqlen = pl;
    target = opt.n;
    warm_left = opt.warm < 0 ? (opt.secs > 0 ? opt.c * 20 : opt.n / 10) : opt.warm;
    if (warm_left < opt.c) warm_left = opt.c;
    for (int i = 0; i < opt.c; i++) {
        conns[i].fn = on_op;
        conns[i].val = i & 1;
        issue(&conns[i]);
    }
    loop(0);
    if (op == OP_PUT && opt.c == 1) { // the last value must read back
        char r[256];
        int rl = snprintf(r, sizeof r, "GET /characteristics?id=%ld.%ld HTTP/1.1\r\n%s\r\n", ids[0].aid, ids[0].iid, hosthdr);
        conn_send(&conns[0], r, (size_t)rl);
        sync_wait(&conns[0]);
        bool v = false;
        if (jparse(&jd, (char *)sy.body.p, sy.body.n)) {
            int cs = jget(&jd, 0, "characteristics"), n = cs < 0 ? -1 : jd.v[cs].first, x = n < 0 ? -1 : jget(&jd, n, "value");
            if (x >= 0) v = jd.v[x].t == J_TRUE || (jd.v[x].t == J_NUM && jd.v[x].num != 0);
        }
        if (v != conns[0].val) {
            errors++;
            fprintf(stderr, "hapload: the written value did not read back: %.*s\n", (int)sy.body.n, sy.body.p);
        }
    }
    char ex[256];
    const char *name = op == OP_ACC ? "acc" : op == OP_PUTACC ? "putacc" : op == OP_PUT ? "put" : opt.k > 1 ? "getmany" : "get";
    snprintf(ex, sizeof ex, "\"k\":%d,\"accessories\":%d,\"characteristics\":%d,\"accessories_bytes\":%zu,\"mb_per_s\":%.1f,\"rss0_kb\":%ld", opt.k, n_acc, n_chr,
             acc_bytes, op == OP_ACC ? (double)acc_bytes * (double)finished / 1e6 / ((double)(s1.wall - s0.wall) / 1e9) : 0, rss0);
    report(name, finished, s0, s1, ex);
    return errors != 0;
}

// ---------------------------------------------------------------- echo (a floor for the same client loop)
static int mode_echo(bool enc) {
    op = OP_ECHO;
    echobuf = malloc((size_t)opt.bytes + 1);
    conns = calloc((size_t)opt.c, sizeof *conns);
    ep = epoll_create1(0);
    if (enc) { // the echo server answers a sealed frame with a sealed frame that holds this HTTP text
        const char *h = "HTTP/1.1 200 OK\r\nContent-Type: application/hap+json\r\nContent-Length: ";
        int l = snprintf((char *)echobuf, (size_t)opt.bytes + 1, "%s%d\r\n\r\n", h, 0);
        int bl = opt.bytes - l - 2;
        if (bl < 100) die("-b: at least 200 for echoenc");
        l = snprintf((char *)echobuf, (size_t)opt.bytes + 1, "%s%d\r\n\r\n", h, bl);
        memset(echobuf + l, 'x', (size_t)bl);
        opt.bytes = l + bl;
    } else memset(echobuf, 'x', (size_t)opt.bytes);
    for (int i = 0; i < opt.c; i++) {
        conn *c = &conns[i];
        c->idx = i;
        conn_open(c);
        c->rawecho = !enc;
        c->fn = on_op;
        if (enc) {
            c->secure = true;
            memset(c->wkey, 0x41, 32);
            memset(c->rkey, 0x42, 32);
        }
        ep_add(c);
    }
    target = opt.n;
    warm_left = opt.warm < 0 ? opt.n / 10 : opt.warm;
    if (warm_left < opt.c) warm_left = opt.c;
    for (int i = 0; i < opt.c; i++) issue(&conns[i]);
    loop(0);
    report(enc ? "echoenc" : "echo", finished, s0, s1, NULL);
    return 0;
}

// ---------------------------------------------------------------- verify: handshakes per second; subscribe: with a subscription and a read
static char sub_put[512], sub_get[512];
static size_t sub_put_len, sub_get_len;
static void prepare_subscription(void) {
    char body[128];
    int n = snprintf(body, sizeof body, "{\"characteristics\":[{\"aid\":%ld,\"iid\":%ld,\"ev\":true}]}", ids[0].aid, ids[0].iid);
    sub_put_len = (size_t)snprintf(sub_put, sizeof sub_put, "PUT /characteristics HTTP/1.1\r\n%sContent-Type: application/hap+json\r\nContent-Length: %d\r\n\r\n%s", hosthdr, n, body);
    sub_get_len = (size_t)snprintf(sub_get, sizeof sub_get, "GET /characteristics?id=%ld.%ld HTTP/1.1\r\n%s\r\n", ids[0].aid, ids[0].iid, hosthdr);
}
static void on_hsdone(conn *c) {
    lat_add(now_ns() - c->t0);
    finished++;
    conn_close(c);
    if (issued < target) {
        if (opt.fleet > 1) c->idx = (int)(issued % opt.fleet);
        issued++;
        c->t0 = now_ns();
        hs_start(c);
        if (opt.c > 1) ep_add(c);
    } else if (finished >= target) stop_loop = true;
}
static void on_sub_read(conn *c, msg *m) {
    if (m->event) return;
    if (m->status != 200) fail("subscribe", m);
    on_hsdone(c);
}
static void on_subscribed(conn *c, msg *m) {
    if (m->event) return;
    if (m->status != 204) fail("subscribe", m);
    c->fn = on_sub_read;
    conn_send(c, sub_get, sub_get_len);
}
static void on_hs_subscribe(conn *c) {
    c->fn = on_subscribed;
    conn_send(c, sub_put, sub_put_len);
}
static int mode_verify(bool subscribes) {
    if (subscribes && opt.c < 2) die("subscribe: -c is at least 2");
    conns = calloc((size_t)opt.c, sizeof *conns);
    ep = epoll_create1(0);
    // a verified session must also answer
    verify_sync(&conns[0]);
    load_db(&conns[0]);
    conn_close(&conns[0]);
    long w = opt.warm < 0 ? 20 : opt.warm;
    for (long i = 0; i < w; i++) {
        verify_sync(&conns[0]);
        conn_close(&conns[0]);
    }
    hs_done = subscribes ? on_hs_subscribe : on_hsdone;
    prepare_subscription();
    target = opt.n;
    issued = finished = 0;
    s0 = take();
    hs_in_loop = opt.c > 1;
    int k = opt.c < target ? opt.c : (int)target;
    for (int i = 0; i < k; i++) {
        conns[i].idx = i;
        issued++;
        conns[i].t0 = now_ns();
        hs_start(&conns[i]);
        if (opt.c > 1) ep_add(&conns[i]);
    }
    loop(0);
    s1 = take();
    report(subscribes ? "subscribe" : "verify", finished, s0, s1, NULL);
    return errors != 0;
}

// ---------------------------------------------------------------- scene: one PUT to each accessory, all at once
static int scene_left;
static void on_scene(conn *c, msg *m) {
    if (m->event) return;
    if (m->status != 204) fail("scene", m);
    finished++;
    (void)c;
    if (--scene_left == 0) stop_loop = true;
}
static int mode_scene(void) {
    char *reqs[64], line[8192], b[8704];
    size_t lens[64];
    int count = 0;
    FILE *f = opt.bodies ? fopen(opt.bodies, "r") : NULL;
    if (!f) die("-B: a file with the bodies");
    while (count < 64 && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        int n = snprintf(b, sizeof b, "PUT /characteristics HTTP/1.1\r\n%sContent-Type: application/hap+json\r\nContent-Length: %zu\r\n\r\n%s", hosthdr, strlen(line), line);
        reqs[count] = strdup(b);
        lens[count++] = (size_t)n;
    }
    fclose(f);
    if (!count) die("-B: no body");
    opt.c = opt.fleet;
    open_all();
    for (int i = 0; i < opt.c; i++) conns[i].fn = on_scene;
    long warm = opt.warm < 0 ? 10 : opt.warm;
    for (long r = -warm; r < opt.n; r++) {
        if (r == 0) {
            s0 = take();
            finished = 0;
        }
        int k = (int)((r + warm) % count);
        uint64_t t = now_ns();
        scene_left = opt.c;
        for (int i = 0; i < opt.c; i++) conn_send(&conns[i], reqs[k], lens[k]);
        loop(now_ns() + PATIENCE * 1000000000ull);
        if (scene_left) die("no answer in %d s", PATIENCE);
        if (r >= 0) lat_add(now_ns() - t);
        if (opt.gap > 0) usleep((useconds_t)(opt.gap * 1000));
    }
    s1 = take();
    report("scene", finished, s0, s1, NULL);
    return errors != 0;
}

// ---------------------------------------------------------------- events
static uint64_t ev_t0;
static int ev_round, ev_got, ev_want;
static bool ev_put, ev_val;
static long ev_extra;
static uint64_t *lastlat;
static void on_sub(conn *c, msg *m) {
    if (!m->event) return;
    if (m->status != 200 || !jparse(&jd, m->body, m->blen)) {
        fail("event", m);
        return;
    }
    int cs = jget(&jd, 0, "characteristics"), n = cs < 0 ? -1 : jd.v[cs].first, x = n < 0 ? -1 : jget(&jd, n, "value");
    if (x < 0 || jint(&jd, n, "aid", 0) != ids[0].aid || jint(&jd, n, "iid", 0) != ids[0].iid) {
        fail("event", m);
        return;
    }
    bool v = jd.v[x].t == J_TRUE || (jd.v[x].t == J_NUM && jd.v[x].num != 0);
    if (c->got == ev_round || v != ev_val) {
        ev_extra++;
        return;
    }
    c->got = ev_round;
    if (ev_round > 0) lat_add(c->tmsg - ev_t0);
    if (++ev_got >= ev_want && ev_put) stop_loop = true;
}
static void on_writer(conn *c, msg *m) {
    (void)c;
    if (m->event) return;
    if (m->status != 204) fail("put", m);
    ev_put = true;
    if (ev_got >= ev_want) stop_loop = true;
}
static int mode_events(void) {
    int subs = opt.c;
    opt.c = subs + 1;
    open_all();
    load_db(&conns[0]);
    char b[256], h[512];
    for (int i = 0; i < subs; i++) {
        int bl = snprintf(b, sizeof b, "{\"characteristics\":[{\"aid\":%ld,\"iid\":%ld,\"ev\":true}]}", ids[0].aid, ids[0].iid);
        int hl = snprintf(h, sizeof h, "PUT /characteristics HTTP/1.1\r\n%sContent-Type: application/hap+json\r\nContent-Length: %d\r\n\r\n%s", hosthdr, bl, b);
        conn_send(&conns[i], h, (size_t)hl);
        sync_wait(&conns[i]);
        if (sy.status != 204) die("subscribe: HTTP %d %.*s", sy.status, (int)sy.body.n, sy.body.p);
        conns[i].fn = on_sub;
        conns[i].got = -100;
    }
    conn *w = &conns[subs];
    w->fn = on_writer;
    ev_want = subs;
    long missed = 0, rounds = opt.n;
    lastlat = calloc((size_t)rounds, sizeof *lastlat);
    snap a = {0};
    // start from what the accessory has: write false once, and let it settle
    for (ev_round = -2; ev_round < rounds; ev_round++) {
        if (ev_round == 0) a = take();
        ev_val = (ev_round & 1) == 0 ? false : true;
        ev_got = 0;
        ev_put = false;
        int bl = snprintf(b, sizeof b, "{\"characteristics\":[{\"aid\":%ld,\"iid\":%ld,\"value\":%s}]}", ids[0].aid, ids[0].iid, ev_val ? "true" : "false");
        int hl = snprintf(h, sizeof h, "PUT /characteristics HTTP/1.1\r\n%sContent-Type: application/hap+json\r\nContent-Length: %d\r\n\r\n%s", hosthdr, bl, b);
        ev_t0 = now_ns();
        conn_send(w, h, (size_t)hl);
        if (!loop(ev_t0 + (ev_round < 0 ? 1500000000ull : 5000000000ull)) && ev_round >= 0) missed += subs - ev_got;
        if (ev_round >= 0) lastlat[ev_round] = now_ns() - ev_t0;
    }
    snap z = take();
    qsort(lastlat, (size_t)rounds, sizeof *lastlat, cmp64);
    char ex[256];
    snprintf(ex, sizeof ex, "\"subscribers\":%d,\"rounds\":%ld,\"missed\":%ld,\"extra\":%ld,\"fanout_p50_us\":%.1f,\"fanout_p99_us\":%.1f,\"events_per_s\":%.0f", subs, rounds,
             missed, ev_extra, (double)lastlat[rounds / 2] / 1e3, (double)lastlat[(size_t)((double)(rounds - 1) * .99)] / 1e3,
             (double)nlat / ((double)(z.wall - a.wall) / 1e9));
    opt.c = subs;
    report("events", rounds, a, z, ex);
    return errors != 0 || missed != 0;
}

// ---------------------------------------------------------------- idle
static int mode_idle(void) {
    long r0, a0, r1, a1, r2, a2;
    srv_mem(&r0, &a0);
    uint64_t t = now_ns();
    open_all();
    double ms = (double)(now_ns() - t) / 1e6;
    load_db(&conns[0]);
    srv_mem(&r1, &a1);
    uint64_t c0 = srv_cpu(), w0 = now_ns();
    usleep((useconds_t)(opt.secs * 1e6));
    uint64_t c1 = srv_cpu(), w1 = now_ns();
    srv_mem(&r2, &a2);
    // every session must still answer
    char rq[256];
    int rl = snprintf(rq, sizeof rq, "GET /characteristics?id=%ld.%ld HTTP/1.1\r\n%s\r\n", ids[0].aid, ids[0].iid, hosthdr);
    for (int i = 0; i < opt.c; i++) {
        conn_send(&conns[i], rq, (size_t)rl);
        sync_wait(&conns[i]);
        if (sy.status != 200) errors++;
    }
    printf("{\"mode\":\"idle\",\"label\":\"%s\",\"c\":%d,\"open_ms\":%.1f,\"rss0_kb\":%ld,\"rss_kb\":%ld,\"rss_end_kb\":%ld,\"anon0_kb\":%ld,\"anon_kb\":%ld,"
           "\"rss_per_session_kb\":%.1f,\"idle_cpu_pct\":%.3f,\"accessories\":%d,\"accessories_bytes\":%zu,\"errors\":%ld}\n",
           opt.label, opt.c, ms, r0, r1, r2, a0, a1, (double)(r1 - r0) / opt.c, (double)(c1 - c0) * 100 / (double)(w1 - w0), n_acc, acc_bytes, errors);
    return errors != 0;
}

static int mode_info(void) {
    conn c = {.idx = 0};
    uint64_t t = now_ns();
    verify_sync(&c);
    double ms = (double)(now_ns() - t) / 1e6;
    load_db(&c);
    printf("{\"mode\":\"info\",\"label\":\"%s\",\"verify_ms\":%.3f,\"accessories\":%d,\"characteristics\":%d,\"on\":%d,\"first_on\":\"%ld.%ld\",\"accessories_bytes\":%zu,\"accessories_ms\":%.3f}\n",
           opt.label, ms, n_acc, n_chr, nids, ids[0].aid, ids[0].iid, acc_bytes, acc_first_ms);
    if (opt.verbose) fwrite(sy.body.p, 1, sy.body.n, stdout), puts("");
    return 0;
}

static void usage(void) {
    fprintf(stderr, "usage: hapload [options] MODE\n"
                    "modes: pair unpair info get put acc putacc scene verify subscribe events idle echo echoenc\n"
                    "  -H host -p port -f pairing-file -s setup-code\n"
                    "  -n operations (rounds for events)  -d seconds  -w warm-up operations\n"
                    "  -N accessories at ports that count up (pair, get, put, scene, verify, subscribe, idle)  -c connections, i to accessory i mod N  -k ids in one GET  -a aid.iid  -b bytes (echo)\n"
                    "  -B file with bodies of PUTs, one a line  -g ms between scenes\n"
                    "  -P pid of the server (its CPU and RSS go into the report)  -l label  -v\n");
    exit(2);
}
int main(int argc, char **argv) {
    int o;
    while ((o = getopt(argc, argv, "H:p:f:s:n:d:w:c:k:a:b:P:l:vN:B:g:")) != -1) switch (o) {
        case 'H': opt.host = optarg; break;
        case 'p': opt.port = atoi(optarg); break;
        case 'f': opt.pairing = optarg; break;
        case 's': opt.code = optarg; break;
        case 'n': opt.n = atol(optarg); break;
        case 'd': opt.secs = atof(optarg); break;
        case 'w': opt.warm = atol(optarg); break;
        case 'c': opt.c = atoi(optarg); break;
        case 'N': opt.fleet = atoi(optarg); break;
        case 'k': opt.k = atoi(optarg); break;
        case 'a':
            if (sscanf(optarg, "%d.%d", &opt.aid, &opt.iid) != 2) usage();
            break;
        case 'b': opt.bytes = atoi(optarg); break;
        case 'B': opt.bodies = optarg; break;
        case 'g': opt.gap = atof(optarg); break;
        case 'P': opt.srv_pid = atoi(optarg); break;
        case 'l': opt.label = optarg; break;
        case 'v': opt.verbose = true; break;
        default: usage();
        }
    if (optind + 1 != argc || opt.c < 1 || opt.k < 1 || opt.n < 1 || opt.fleet < 1) usage();
    prs = calloc((size_t)opt.fleet, sizeof *prs);
    opt.mode = argv[optind];
    if (sodium_init() < 0) die("libsodium");
    snprintf(hosthdr, sizeof hosthdr, "Host: %s:%d\r\n", opt.host, opt.port);
    const char *m = opt.mode;
    if (!strcmp(m, "echo")) return mode_echo(false);
    if (!strcmp(m, "echoenc")) return mode_echo(true);
    if (!strcmp(m, "pair")) return mode_pair();
    pairing_load();
    if (!strcmp(m, "unpair")) return mode_unpair();
    if (!strcmp(m, "info")) return mode_info();
    if (!strcmp(m, "verify") || !strcmp(m, "subscribe")) return mode_verify(!strcmp(m, "subscribe"));
    if (!strcmp(m, "scene")) return mode_scene();
    if (!strcmp(m, "events")) return mode_events();
    if (!strcmp(m, "idle")) return mode_idle();
    if (!strcmp(m, "get") || !strcmp(m, "getmany")) op = OP_GET;
    else if (!strcmp(m, "put")) op = OP_PUT;
    else if (!strcmp(m, "acc")) op = OP_ACC;
    else if (!strcmp(m, "putacc")) op = OP_PUTACC;
    else usage();
    return mode_ops();
}
