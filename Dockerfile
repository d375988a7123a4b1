# hapsim, hapctl and haptest with their runtime dependencies only. See docs/tutorials/ci.md.
#
#   docker build -t hapsim .
#   docker run --rm --network host hapsim run /usr/share/hapsim/Profiles/lock.hasaccessory
#   docker run --rm --network host hapsim haptest run 192.0.2.7:51826 --code 031-45-154

FROM swift:6.3-bookworm AS builder
WORKDIR /src
# Files that rarely change are copied first. The script installs the build dependencies.
COPY Scripts/install-dependencies Scripts/
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends make \
 && Scripts/install-dependencies build \
 && rm -rf /var/lib/apt/lists/*
# The package manager needs the folders of all targets, including the tests.
COPY Makefile Package.swift ./
COPY Sources Sources
COPY Plugins Plugins
# The texts that the plugin embeds in the programs.
COPY Suites Suites
COPY Defects Defects
COPY Faults Faults
COPY Tests Tests
COPY Fuzz Fuzz
COPY Benchmarks Benchmarks
COPY Profiles Profiles
# The tests of the example are a target of the package.
COPY Examples Examples
# What `make install` installs besides.
COPY Packaging Packaging
COPY docs docs
COPY LICENSE README.md CHANGELOG.md ./
RUN make install DESTDIR=/installed PREFIX=/usr

FROM debian:bookworm-slim
# The shared libraries of the binaries. Tests/Interop/test_ci.py compares them.
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends \
      libedit2 libgcc-s1 libplist3 libqrencode4 libsodium23 libsqlite3-0 libssl3 \
      libstdc++6 libturbojpeg0 libuv1 libyaml-0-2 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --user-group --no-create-home --home-dir /state --shell /usr/sbin/nologin hapsim \
 && install -d -o hapsim -g hapsim /state
COPY --from=builder /installed/usr/bin/ /usr/bin/
COPY --from=builder /installed/usr/share/hapsim/ /usr/share/hapsim/
COPY LICENSE /usr/share/doc/hapsim/
# Identities, pairings and values. Without a volume, a new container is a new accessory.
ENV XDG_STATE_HOME=/state
VOLUME /state
WORKDIR /state
USER hapsim
# The arguments go to hapsim unless the first one names another program.
ENTRYPOINT ["/bin/sh", "-c", "case \"${1-}\" in hapsim | hapctl | haptest | sh | bash | */sh | */bash) exec \"$@\" ;; *) exec hapsim \"$@\" ;; esac", "hapsim"]
CMD ["--help"]
