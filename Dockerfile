# The program alone, for the architectures in the context: dist/image/amd64.tar, dist/image/arm64.tar (tools/release/image).
#   docker run --rm -i quarterply                              the UCI engine
#   docker run --rm -v "$PWD:/data" -u "$(id -u)" quarterply window search -o first.html
FROM scratch
ARG TARGETARCH
ADD ${TARGETARCH}.tar /
USER 1000:1000
WORKDIR /data
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/quarterply"]
