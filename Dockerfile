# The compiler runs on the machine that builds, also for another architecture.
FROM --platform=$BUILDPLATFORM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS TARGETARCH
ARG VERSION=development
ARG COMMIT=
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -ldflags "-s -w -X main.version=$VERSION -X main.commit=$COMMIT" -o /hostbot ./cmd/hostbot

FROM scratch
ARG VERSION=development
ARG COMMIT=
LABEL org.opencontainers.image.title="hostbot" \
      org.opencontainers.image.description="A hosting company's face on Discord" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$COMMIT" \
      org.opencontainers.image.licenses="MIT"
# Whom TLS connections to Discord, the hosting service and Redis trust.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY LICENSE .github/NOTICES /licenses/
COPY --from=build /hostbot /hostbot
# By number: there are no names, and an orchestrator can see that it is not root.
USER 65532:65532
# HTTP_ADDR is a loopback address unless it is set: set it to :9090 to have the
# health and metrics read from outside of the container.
EXPOSE 9090
# Podman and Buildah leave it out unless they are told --format docker: OCI's images have none.
HEALTHCHECK CMD ["/hostbot", "health"]
ENTRYPOINT ["/hostbot"]
