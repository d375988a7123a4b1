// SPDX-License-Identifier: Apache-2.0
// floor: the lower limits of this machine. Raw costs of the primitives that HAP uses, and an epoll
// echo server for hapload's echo/echoenc modes.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
static volatile uint8_t sink;
#define BENCH(name_, stmt_)                                                                            \
    do {                                                                                               \
        double best_ = 1e9, med_[7];                                                                   \
        for (int r_ = 0; r_ < 7; r_++) {                                                               \
            long n_ = 0, step_ = 1;                                                                    \
            double t0_ = now_s(), t_;                                                                  \
            do {                                                                                       \
                for (long i_ = 0; i_ < step_; i_++) { stmt_; }                                         \
                n_ += step_;                                                                           \
                t_ = now_s() - t0_;                                                                    \
                if (t_ < 0.01) step_ *= 2;                                                             \
            } while (t_ < 0.2);                                                                        \
            med_[r_] = t_ / (double)n_ * 1e6;                                                          \
            if (med_[r_] < best_) best_ = med_[r_];                                                    \
        }                                                                                              \
        qsort(med_, 7, sizeof *med_, cmpd);                                                            \
        printf("%s\"%s\":{\"us\":%.3f,\"min_us\":%.3f,\"per_s\":%.0f}", sep, name_, med_[3], best_, 1e6 / med_[3]); \
        sep = ",\n ";                                                                                  \
        fflush(stdout);                                                                                \
    } while (0)
static int cmpd(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static const char *N3072 =
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B"
    "302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7EDEE386BFB5A899FA5AE9F24117C4B1FE6"
    "49286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F83655D23DCA3AD961C62F356208552BB9ED529077096966D"
    "670C354E4ABC9804F1746C08CA18217C32905E462E36CE3BE39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF695581718"
    "3995497CEA956AE515D2261898FA051015728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7D"
    "B3970F85A6E1E4C7ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200C"
    "BBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF";

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

static int crypto(void) {
    const char *sep = "{";
    // --- SRP-6a, server side: B = k*v + g^b, S = (A * v^u)^b; b of 256 or 3072 bits, u of 512 bits
    BN_CTX *bc = BN_CTX_new();
    BIGNUM *N = NULL, *g = BN_new(), *b256 = BN_new(), *b3072 = BN_new(), *v = BN_new(), *x = BN_new(), *u = BN_new(), *k = BN_new(), *A = BN_new(), *B = BN_new(),
           *S = BN_new(), *t = BN_new();
    BN_hex2bn(&N, N3072);
    BN_set_word(g, 5);
    BN_MONT_CTX *mc = BN_MONT_CTX_new();
    BN_MONT_CTX_set(mc, N, bc);
    BN_rand(b256, 256, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY);
    BN_rand_range(b3072, N);
    BN_rand(x, 512, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY);
    BN_rand(u, 512, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY);
    BN_rand(k, 512, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY);
    BN_rand_range(A, N);
    BENCH("srp_verifier_512bit_x", BN_mod_exp_mont(v, g, x, N, bc, mc));
    BENCH("srp_B_256bit_b", (BN_mod_exp_mont_consttime(t, g, b256, N, bc, mc), BN_mod_mul(B, k, v, N, bc), BN_mod_add(B, B, t, N, bc)));
    BENCH("srp_S_256bit_b", (BN_mod_exp_mont(t, v, u, N, bc, mc), BN_mod_mul(t, t, A, N, bc), BN_mod_exp_mont_consttime(S, t, b256, N, bc, mc)));
    BENCH("srp_B_3072bit_b", (BN_mod_exp_mont_consttime(t, g, b3072, N, bc, mc), BN_mod_mul(B, k, v, N, bc), BN_mod_add(B, B, t, N, bc)));
    BENCH("srp_S_3072bit_b", (BN_mod_exp_mont(t, v, u, N, bc, mc), BN_mod_mul(t, t, A, N, bc), BN_mod_exp_mont_consttime(S, t, b3072, N, bc, mc)));
    // --- libsodium
    uint8_t pk[32], sk[32], q[32], epk[32], esk[64], sig[64], m[128], out[32], key[32], sh[32];
    randombytes_buf(m, sizeof m);
    crypto_box_keypair(pk, sk);
    crypto_sign_keypair(epk, esk);
    BENCH("x25519_keygen", crypto_box_keypair(pk, sk));
    BENCH("x25519_shared", sink ^= (uint8_t)crypto_scalarmult(q, sk, pk));
    BENCH("ed25519_sign_100B", crypto_sign_detached(sig, NULL, m, 100, esk));
    BENCH("ed25519_verify_100B", sink ^= (uint8_t)crypto_sign_verify_detached(sig, m, 100, epk));
    memset(sh, 7, 32);
    BENCH("hkdf_sha512", (hkdf(out, sh, 32, "Control-Salt", "Control-Read-Encryption-Key"), sink ^= out[0]));
    // server side of one Pair-Verify: keygen, shared, sign, verify, 3 HKDF, 1 seal, 1 open
    uint8_t buf[2048], c[2048], d[2048], n[12] = {0}, aad[2] = {200, 0};
    randombytes_buf(buf, sizeof buf);
    randombytes_buf(key, 32);
    BENCH("pair_verify_server_all",
          (crypto_box_keypair(pk, sk), sink ^= (uint8_t)crypto_scalarmult(q, sk, pk), crypto_sign_detached(sig, NULL, m, 81, esk), hkdf(key, q, 32, "Pair-Verify-Encrypt-Salt", "Pair-Verify-Encrypt-Info"),
           crypto_aead_chacha20poly1305_ietf_encrypt(c, NULL, buf, 85, NULL, 0, NULL, n, key), sink ^= (uint8_t)crypto_aead_chacha20poly1305_ietf_decrypt(d, NULL, NULL, c, 85 + 16, NULL, 0, n, key),
           sink ^= (uint8_t)crypto_sign_verify_detached(sig, m, 81, epk), hkdf(out, q, 32, "Control-Salt", "Control-Read-Encryption-Key"), hkdf(out, q, 32, "Control-Salt", "Control-Write-Encryption-Key")));
    BENCH("sodium_seal_200", crypto_aead_chacha20poly1305_ietf_encrypt(c, NULL, buf, 200, aad, 2, NULL, n, key));
    BENCH("sodium_open_200", sink ^= (uint8_t)crypto_aead_chacha20poly1305_ietf_decrypt(d, NULL, NULL, c, 216, aad, 2, n, key));
    BENCH("sodium_seal_1024", crypto_aead_chacha20poly1305_ietf_encrypt(c, NULL, buf, 1024, aad, 2, NULL, n, key));
    BENCH("sodium_open_1024", sink ^= (uint8_t)crypto_aead_chacha20poly1305_ietf_decrypt(d, NULL, NULL, c, 1040, aad, 2, n, key));
    // --- the same with OpenSSL's assembly, key schedule kept, IV set for each frame
    EVP_CIPHER_CTX *e = EVP_CIPHER_CTX_new(), *f = EVP_CIPHER_CTX_new();
    EVP_EncryptInit_ex(e, EVP_chacha20_poly1305(), NULL, key, n);
    EVP_DecryptInit_ex(f, EVP_chacha20_poly1305(), NULL, key, n);
    int l;
    uint8_t tag[16];
#define SEAL(len)                                                                                                                                       \
    (EVP_EncryptInit_ex(e, NULL, NULL, NULL, n), EVP_EncryptUpdate(e, NULL, &l, aad, 2), EVP_EncryptUpdate(e, c, &l, buf, len), EVP_EncryptFinal_ex(e, c + len, &l), \
     EVP_CIPHER_CTX_ctrl(e, EVP_CTRL_AEAD_GET_TAG, 16, tag))
#define OPEN(len)                                                                                                                                       \
    (EVP_DecryptInit_ex(f, NULL, NULL, NULL, n), EVP_CIPHER_CTX_ctrl(f, EVP_CTRL_AEAD_SET_TAG, 16, tag), EVP_DecryptUpdate(f, NULL, &l, aad, 2),         \
     EVP_DecryptUpdate(f, d, &l, c, len), sink ^= (uint8_t)EVP_DecryptFinal_ex(f, d + len, &l))
    BENCH("openssl_seal_200", SEAL(200));
    BENCH("openssl_open_200", OPEN(200));
    BENCH("openssl_seal_1024", SEAL(1024));
    BENCH("openssl_open_1024", OPEN(1024));
    printf("}\n");
    return 0;
}

// ---- echo server: plain, or (-e) opens each frame and seals its text back
typedef struct {
    int fd;
    uint64_t r, w;
    uint8_t buf[8192];
    size_t n;
} conn;
static void ctrnonce(uint8_t n[12], uint64_t c) {
    memset(n, 0, 4);
    for (int i = 0; i < 8; i++) n[4 + i] = (uint8_t)(c >> (8 * i));
}
static int echosrv(int port, bool enc) {
    int ls = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    setsockopt(ls, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    struct sockaddr_in sa = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(ls, (void *)&sa, sizeof sa) || listen(ls, 1024)) return perror("bind"), 1;
    int ep = epoll_create1(0);
    epoll_ctl(ep, EPOLL_CTL_ADD, ls, &(struct epoll_event){.events = EPOLLIN, .data.ptr = NULL});
    struct epoll_event ev[256];
    uint8_t rk[32], wk[32], pt[2048], out[2048], nn[12];
    memset(rk, 0x41, 32);
    memset(wk, 0x42, 32);
    for (;;) {
        int k = epoll_wait(ep, ev, 256, -1);
        for (int i = 0; i < k; i++) {
            conn *c = ev[i].data.ptr;
            if (!c) {
                c = calloc(1, sizeof *c);
                c->fd = accept4(ls, NULL, NULL, SOCK_NONBLOCK);
                setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &(struct epoll_event){.events = EPOLLIN, .data.ptr = c});
                continue;
            }
            ssize_t r = recv(c->fd, c->buf + c->n, sizeof c->buf - c->n, 0);
            if (r <= 0) {
                if (r < 0 && errno == EAGAIN) continue;
                close(c->fd);
                free(c);
                continue;
            }
            if (!enc) {
                if (send(c->fd, c->buf, (size_t)r, MSG_NOSIGNAL) != r) perror("send");
                continue;
            }
            c->n += (size_t)r;
            size_t o = 0;
            while (c->n - o >= 2) {
                uint8_t *f = c->buf + o;
                size_t l = (size_t)f[0] | (size_t)f[1] << 8;
                if (l > 1024 || c->n - o < l + 18) break;
                ctrnonce(nn, c->r++);
                if (crypto_aead_chacha20poly1305_ietf_decrypt(pt, NULL, NULL, f + 2, l + 16, f, 2, nn, rk)) return fprintf(stderr, "bad frame\n"), 1;
                memcpy(out, f, 2);
                ctrnonce(nn, c->w++);
                crypto_aead_chacha20poly1305_ietf_encrypt(out + 2, NULL, pt, l, out, 2, NULL, nn, wk);
                if (send(c->fd, out, l + 18, MSG_NOSIGNAL) != (ssize_t)l + 18) perror("send");
                o += l + 18;
            }
            memmove(c->buf, c->buf + o, c->n - o);
            c->n -= o;
        }
    }
}

int main(int argc, char **argv) {
    if (sodium_init() < 0) return 1;
    if (argc == 2 && !strcmp(argv[1], "crypto")) return crypto();
    if (argc >= 3 && !strcmp(argv[1], "echosrv")) return echosrv(atoi(argv[2]), argc > 3);
    fprintf(stderr, "usage: floor crypto | floor echosrv PORT [enc]\n");
    return 2;
}
