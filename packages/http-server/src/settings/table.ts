import type { SettingsTable } from "@sealhouse/settings";

const SECOND_MS = 1000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;

/** Settings of connections, proxies, public addresses, and of requests that the host sends. */
export const HTTP_SERVER_SETTINGS = {
  Host__IdleTimeout: {
    kind: { type: "time-span", minMs: SECOND_MS, maxMs: DAY_MS },
    fallback: "00:02:00",
    about: "A connection on which nothing moves for this long in the middle of a request is cut.",
  },
  Host__BodyRate__BytesPerSecond: {
    kind: { type: "integer", min: 0, max: 1_000_000_000 },
    fallback: "512",
    about:
      "Least average rate at which a client sends a request body. A slower one is refused with " +
      "408 and its connection is closed; 0 allows any rate.",
  },
  Host__BodyRate__Window: {
    kind: { type: "time-span", minMs: SECOND_MS, maxMs: DAY_MS },
    fallback: "00:02:00",
    about:
      "Time over which the rate of a request body is averaged, and the time that each body has " +
      "before it is first measured. Only waiting for the client counts.",
  },
  Host__TrustedProxies: {
    kind: { type: "list", of: { type: "network" } },
    otherwise: "loopback only",
    about:
      "Networks whose forwarded headers (`X-Forwarded-For`, `-Proto`, `-Host`, `-Prefix`) " +
      "and `X-Request-Id` are believed.",
  },
  Host__AllowInsecurePublicUrl: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Allows `http:` public addresses in Production. Clients then send tokens without encryption.",
  },
  Host__Cors__Origins: {
    kind: { type: "list", of: { type: "text" } },
    otherwise: "`*`",
    about:
      "Origins whose web pages may read documents that need no token, such as " +
      "`https://docs.example.com`; `*` allows every origin, `none` allows no origin.",
  },
  Host__OutgoingRequests__AllowPrivateAddresses: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Lets the host itself call addresses of private networks, such as your own timestamp server.",
  },
  Host__OutgoingProxy__Url: {
    kind: { type: "url", empty: "allowed" },
    otherwise: "`HTTPS_PROXY`, `HTTP_PROXY` and `ALL_PROXY`",
    about:
      "Proxy for the requests of the host itself, such as those to package sources. Empty: no " +
      "proxy, whatever the environment variables state. See " +
      "[deploy](deploy.md#requests-through-a-proxy).",
  },
  Host__OutgoingProxy__Username: {
    kind: { type: "text" },
    about: "User name for the proxy.",
  },
  Host__OutgoingProxy__Password: {
    kind: { type: "text" },
    secret: true,
    about: "Password for the proxy.",
  },
  Host__OutgoingProxy__NoProxy: {
    kind: { type: "list", of: { type: "text" } },
    otherwise: "`NO_PROXY`, where the proxy is from the environment",
    about:
      "Hosts that are called without the proxy: `intranet.example` (and all hosts below it), " +
      "`10.0.0.0/8`, `feed.example:8443`, `*`.",
  },
  Feed__PublicBaseUrl: {
    kind: { type: "url" },
    otherwise: "taken from the request",
    about: "Address clients reach this host by; every absolute link starts with it.",
  },
  Feed__PublicBaseUrls: {
    kind: { type: "list", of: { type: "url" } },
    otherwise: "`Feed__PublicBaseUrl` alone",
    about: "Several allowed addresses; an answer uses the one its request came by, else the first.",
  },
} as const satisfies SettingsTable;
