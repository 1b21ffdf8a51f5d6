# Wattkeeper in a container: one binary, one volume, not root.
FROM debian:12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates npm
WORKDIR /src
COPY . .
RUN npx -y deno@2.9.6 task compile

FROM debian:12-slim
RUN useradd --system --uid 10001 --create-home wattkeeper && \
  install -d -o wattkeeper -g wattkeeper -m 0700 /data
COPY --from=build /src/dist/wattkeeper /usr/local/bin/wattkeeper
USER wattkeeper
ENV WATTKEEPER_DATA_DIR=/data WATTKEEPER_HOST=0.0.0.0
VOLUME /data
EXPOSE 8480
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8480 && \
    printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"]
ENTRYPOINT ["wattkeeper"]
CMD ["serve"]
