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
WORKDIR /src
COPY .ci/install .ci/install
RUN .ci/install binutils patchelf && rm -rf /var/lib/apt/lists/*
# The dependencies change less often than the sources; this way they stay in the build cache.
COPY Package.swift ./
RUN swift package resolve
COPY Sources Sources
COPY Tests Tests
COPY Examples Examples
RUN swift build --configuration release --product realmgate --static-swift-stdlib
COPY LICENSE ./
COPY packaging packaging
COPY openapi/openapi.json openapi/
COPY static static
COPY clients/javascript/lib clients/javascript/lib
ARG REALMGATE_COMMIT=
RUN program=$(swift build --configuration release --static-swift-stdlib --show-bin-path)/realmgate \
    && packaging/stage "$program" /stage \
    && packaging/libraries "$program" | cut -f 3 | sort --unique > /libraries

FROM debian:bookworm-slim
ARG REALMGATE_VERSION=0.1.0
ARG REALMGATE_COMMIT=
LABEL org.opencontainers.image.title="Realmgate" \
    org.opencontainers.image.description="Object database with live queries over HTTP" \
    org.opencontainers.image.version="${REALMGATE_VERSION}" \
    org.opencontainers.image.revision="${REALMGATE_COMMIT}" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.base.name="debian:bookworm-slim"
# The packages of the libraries that the program loads.
COPY --from=build /libraries /tmp/libraries
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive xargs --arg-file /tmp/libraries \
        apt-get install --yes --no-install-recommends \
    && rm -rf /tmp/libraries /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/log/apt /var/log/*.log \
    && useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin realmgate \
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
