import type { BodyPace } from "@sealhouse/http-responses";
import type { Settings } from "@sealhouse/settings";
import type { OutgoingProxy } from "../outgoing-proxy.ts";
import { parseOutgoingProxy } from "./outgoing-proxy.ts";
import { HTTP_SERVER_SETTINGS } from "./table.ts";

export type HttpServerConfig = {
  /** Milliseconds after which a connection without traffic in a request is cut. */
  readonly idleTimeoutMs: number;
  /** Least rate of request bodies; undefined for any rate. */
  readonly bodyPace: BodyPace | undefined;
  /** Networks whose forwarded headers are believed. */
  readonly trustedProxies: readonly string[];
  /** Origins whose pages may read public documents; `*` allows every origin. */
  readonly corsOrigins: readonly string[];
  /** Whether the host may call addresses in private networks. */
  readonly allowPrivateAddresses: boolean;
  /** Proxy of outgoing requests; undefined for direct ones. */
  readonly outgoingProxy: OutgoingProxy | undefined;
};

const LOOPBACK = ["127.0.0.0/8", "::1"];

export function parseHttpServer(settings: Settings): HttpServerConfig {
  const own = settings.of(HTTP_SERVER_SETTINGS);
  const trusted = own.get("Host__TrustedProxies");
  const bytesPerSecond = own.get("Host__BodyRate__BytesPerSecond");
  const windowMs = own.get("Host__BodyRate__Window");
  return {
    idleTimeoutMs: own.get("Host__IdleTimeout"),
    bodyPace: bytesPerSecond === 0 ? undefined : { bytesPerSecond, windowMs },
    trustedProxies: trusted.length > 0 ? trusted : LOOPBACK,
    corsOrigins: parseCorsOrigins(settings),
    allowPrivateAddresses: own.get("Host__OutgoingRequests__AllowPrivateAddresses"),
    outgoingProxy: parseOutgoingProxy(settings),
  };
}

/** Reads `Host__Cors__Origins` into the form that browsers send; `*` allows every origin. */
function parseCorsOrigins(settings: Settings): readonly string[] {
  const key = "Host__Cors__Origins";
  const texts = settings.of(HTTP_SERVER_SETTINGS).get(key);
  if (texts.length === 0) return ["*"];
  if (texts.length === 1 && texts[0] === "none") return [];
  for (const text of texts.filter((entry) => entry !== "*" && originIn(entry) === undefined)) {
    settings.problem(
      key,
      `"${text}" is not an origin; allowed: *, none, or origins such as https://docs.example.com`,
    );
  }
  return texts.map((text) => originIn(text) ?? text);
}

/** Undefined for a text with more than scheme, host and port. */
function originIn(text: string): string | undefined {
  if (!/^https?:\/\/[^/?#@]+\/?$/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).origin;
}
