# hapsim, hapctl and haptest, with what they need at run time and no more. See docs/ci.md.
#
#   docker build -t hapsim .
#   docker run --rm --network host hapsim run /usr/share/hapsim/Profiles/lock.hasaccessory
#   docker run --rm --network host hapsim haptest run 192.0.2.7:51826 --code 031-45-154

FROM swift:6.3-bookworm AS builder
WORKDIR /src
# What changes seldom goes first. The script knows what building takes.
COPY Scripts/install-dependencies Scripts/
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends make \
 && Scripts/install-dependencies build \
 && rm -rf /var/lib/apt/lists/*
# The package manager wants the folders of all targets, those of the tests too.
COPY Makefile Package.swift ./
COPY Sources Sources
COPY Plugins Plugins
# The texts that the plugin puts into the programs.
COPY Suites Suites
COPY Defects Defects
COPY Faults Faults
COPY Tests Tests
COPY Fuzz Fuzz
COPY Profiles Profiles
# The tests of the example are a target of the package.
COPY Examples Examples
RUN make install DESTDIR=/installed PREFIX=/usr

FROM debian:bookworm-slim
# What the binaries are linked with. Tests/Interop/test_ci.py compares.
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
# Identities, pairings and values: give a volume, or a new container is a new accessory.
ENV XDG_STATE_HOME=/state
VOLUME /state
WORKDIR /state
USER hapsim
# The words are hapsim's, unless the first names another program.
ENTRYPOINT ["/bin/sh", "-c", "case \"${1-}\" in hapsim | hapctl | haptest | sh | bash | */sh | */bash) exec \"$@\" ;; *) exec hapsim \"$@\" ;; esac", "hapsim"]
CMD ["--help"]
