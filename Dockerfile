# Realmgate in a container.
#
#   docker build -t realmgate .
#   docker run --name shop -p 8080:8080 -v realmgate:/data realmgate
#   docker exec shop realmgate token create --name me --role admin
#
# The container needs a credential from every caller; the second command creates the first one. To try it without any,
# on a machine of your own:
#
#   docker run -p 127.0.0.1:8080:8080 -e REALMGATE_DEMO=true -e REALMGATE_AUTH=false -e REALMGATE_ALLOW_OPEN=true realmgate

ARG SWIFT_VERSION=6.3

FROM swift:${SWIFT_VERSION}-bookworm AS build
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
        libmicrohttpd-dev libgnutls28-dev libjansson-dev liblmdb-dev libintelrdfpmath-dev \
        zlib1g-dev libzstd-dev libyaml-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# The dependencies change less often than the sources; this way they stay in the build cache.
COPY Package.swift ./
RUN swift package resolve
COPY Sources Sources
COPY Tests Tests
COPY Examples Examples
RUN swift build --configuration release --product realmgate --static-swift-stdlib \
    && install -D "$(swift build --configuration release --show-bin-path)/realmgate" /stage/bin/realmgate \
    && strip /stage/bin/realmgate \
    # The decimal library is a part of the program, and its licence asks for its notice beside it.
    && install -D -m 0644 /usr/share/doc/libintelrdfpmath-dev/copyright \
        /stage/share/doc/realmgate/libintelrdfpmath-copyright
COPY static /stage/share/realmgate/static
COPY openapi/openapi.json /stage/share/realmgate/openapi/
COPY Examples/Demo /stage/share/realmgate/demo

FROM debian:bookworm-slim
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
        libmicrohttpd12 libgnutls30 libjansson4 liblmdb0 zlib1g libzstd1 libyaml-0-2 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --user-group --home-dir /data --shell /usr/sbin/nologin realmgate \
    && install -d -o realmgate -g realmgate -m 0750 /data
COPY --from=build /stage/ /usr/local/

# Every setting is a variable; a command after the name of the image takes the place of `serve`, as in
# `docker run … realmgate export Flight`. A configuration file is mounted and named by REALMGATE_CONFIG; the first
# administrator's key may also be given as REALMGATE_ADMIN_KEY, of 32 characters or more.
ENV REALMGATE_DATA=/data/data.realmgate \
    REALMGATE_HOST=0.0.0.0 \
    REALMGATE_PORT=8080 \
    REALMGATE_AUTH=true
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 CMD ["realmgate", "health"]
ENTRYPOINT ["realmgate"]
CMD ["serve"]
