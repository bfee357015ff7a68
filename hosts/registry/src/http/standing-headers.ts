import { ServerResponse } from "node:http";
import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders } from "node:http";
import { isLoopbackHost } from "./loopback.ts";
import type { PublicAddress } from "./public-address.ts";
import { ownBase } from "./public-address.ts";

/** Headers that an answer has whatever it says. */
type Standing = {
  readonly record: Readonly<Record<string, string>>;
  /** The same as names and values in turn, which Node writes without a detour. */
  readonly raw: readonly string[];
  /** Whether the answer depends on `Origin`. */
  readonly varies: boolean;
};

const NOSNIFF = standingOf({ "x-content-type-options": "nosniff" });

/** For Node's HTTP server: each answer has its standing headers, whoever writes it. */
export class StandingResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  standing: Standing = NOSNIFF;

  override writeHead(
    status: number,
    ...rest: readonly (string | OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined)[]
  ): this {
    const [first, second] = rest;
    const reason = typeof first === "string" ? first : undefined;
    const headers = withStanding(this, reason === undefined ? first : second);
    return reason === undefined
      ? super.writeHead(status, headers)
      : super.writeHead(status, reason, headers);
  }
}

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** What the answer itself says counts before what is standing. */
function withStanding(
  { standing }: Pick<StandingResponse, "standing">,
  given: Headers | string | undefined,
): Headers {
  const { record, raw, varies } = standing;
  if (typeof given !== "object") return { ...record };
  if (varies) return varied(record, Array.isArray(given) ? recordOf(given) : given);
  return Array.isArray(given) ? [...raw, ...given] : { ...record, ...given };
}

function varied(record: Standing["record"], given: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const { vary } = given;
  return { ...record, ...given, vary: vary === undefined ? "Origin" : `${vary}, Origin` };
}

function recordOf(raw: readonly OutgoingHttpHeader[]): OutgoingHttpHeaders {
  const pairs = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1]]] : []));
  return Object.fromEntries(pairs) as OutgoingHttpHeaders;
}

export type StandingOptions = {
  /** The addresses of the configuration. */
  readonly publicBaseUrls: readonly string[];
  /** Pages of these origins may read what everybody may read; `*` stands for all. */
  readonly corsOrigins: readonly string[];
};

/** Which standing headers the answer to a request has. `isFeed` = it is of a package protocol. */
export type SetStanding = (
  outgoing: ServerResponse,
  request: {
    readonly address: PublicAddress;
    readonly isFeed: boolean;
    readonly origin: string | undefined;
  },
) => void;

/** A browser that came by https comes by https for half a year. */
const HSTS = { "strict-transport-security": "max-age=15552000" };

export function createSetStanding({ publicBaseUrls, corsOrigins }: StandingOptions): SetStanding {
  const httpHosts = new Set(
    publicBaseUrls
      .map((base) => new URL(base))
      .filter(isHttp)
      .map(({ hostname }) => hostname),
  );
  const combined = combinations(corsOrigins);
  const secure = new WeakMap<PublicAddress, boolean>();
  const isSecure = (address: PublicAddress): boolean => {
    const known = secure.get(address);
    if (known !== undefined) return known;
    const found = isHttpsOnly(ownBase(address), httpHosts);
    secure.set(address, found);
    return found;
  };
  return (outgoing, { address, isFeed, origin }) => {
    if (!(outgoing instanceof StandingResponse)) return;
    outgoing.standing = combined(isSecure(address), isFeed, origin);
  };
}

/** A browser remembers the host without its port, so no http address of it may be configured. */
function isHttpsOnly(base: string, httpHosts: ReadonlySet<string>): boolean {
  if (!base.startsWith("https:") || !URL.canParse(base)) return false;
  const { hostname } = new URL(base);
  return !isLoopbackHost(hostname) && !httpHosts.has(hostname);
}

function isHttp({ protocol }: URL): boolean {
  return protocol === "http:";
}

/** All that there can be, made once. */
function combinations(corsOrigins: readonly string[]) {
  const allowed = new Set(corsOrigins);
  const all = new Map<string, Standing>();
  return (isSecure: boolean, isFeed: boolean, origin: string | undefined): Standing => {
    const isOpen = isFeed && allowed.size > 0;
    const toAll = isOpen && allowed.has("*");
    const to = toAll ? "*" : isOpen && origin !== undefined && allowed.has(origin) ? origin : "";
    const key = `${isSecure ? "s" : "-"}${isOpen ? "o" : "-"}${to}`;
    const known = all.get(key);
    if (known) return known;
    const cors = { "access-control-allow-origin": to, "access-control-expose-headers": "*" };
    const record = { ...NOSNIFF.record, ...(isSecure && HSTS), ...(to !== "" && cors) };
    const made = standingOf(record, isOpen && !toAll);
    all.set(key, made);
    return made;
  };
}

function standingOf(record: Readonly<Record<string, string>>, varies = false): Standing {
  return { record, raw: Object.entries(record).flat(), varies };
}
