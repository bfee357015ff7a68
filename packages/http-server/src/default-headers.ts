import { ServerResponse } from "node:http";
import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders } from "node:http";
import { isLoopbackHost } from "./loopback.ts";
import type { HostAddress } from "./public-address.ts";
import { ownBase } from "./public-address.ts";

/** Headers that are added to an answer unless it sets them itself. */
type DefaultHeaders = {
  readonly record: Readonly<Record<string, string>>;
  /** Flat list of names and values, which Node writes without a copy. */
  readonly raw: readonly string[];
  /** Whether the answer depends on `Origin`. */
  readonly varies: boolean;
};

const NOSNIFF = defaultHeadersOf({ "x-content-type-options": "nosniff" });

/** Response class for Node's HTTP server that adds the default headers to every answer. */
export class DefaultHeadersResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  defaults: DefaultHeaders = NOSNIFF;
  /** Headers that replace those of the answer, read when the head is written. */
  overrides: () => HeaderRecord | undefined = () => undefined;

  override writeHead(
    status: number,
    ...rest: readonly (string | OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined)[]
  ): this {
    const [first, second] = rest;
    const reason = typeof first === "string" ? first : undefined;
    const own = withDefaults(this, reason === undefined ? first : second);
    const overrides = this.overrides();
    const headers = overrides
      ? { ...lowerNames(Array.isArray(own) ? recordOf(own) : own), ...overrides }
      : own;
    return reason === undefined
      ? super.writeHead(status, headers)
      : super.writeHead(status, reason, headers);
  }
}

type HeaderRecord = Readonly<Record<string, string>>;
type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** Headers of the answer replace default headers of the same name. */
function withDefaults(
  { defaults }: Pick<DefaultHeadersResponse, "defaults">,
  headers: Headers | string | undefined,
): Headers {
  const { record, raw, varies } = defaults;
  if (typeof headers !== "object") return { ...record };
  if (varies) return varied(record, Array.isArray(headers) ? recordOf(headers) : headers);
  return Array.isArray(headers) ? [...raw, ...headers] : { ...record, ...headers };
}

function varied(
  record: DefaultHeaders["record"],
  headers: OutgoingHttpHeaders,
): OutgoingHttpHeaders {
  const { vary } = headers;
  return { ...record, ...headers, vary: vary === undefined ? "Origin" : `${vary}, Origin` };
}

function recordOf(raw: readonly OutgoingHttpHeader[]): OutgoingHttpHeaders {
  const pairs = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1]]] : []));
  return Object.fromEntries(pairs) as OutgoingHttpHeaders;
}

/** Nothing else tells `Cache-Control` from `cache-control`. */
function lowerNames(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** Replaces headers of the answer with those that `headersOf` returns when its head is written. */
export function overrideHeaders(
  outgoing: ServerResponse,
  headersOf: () => HeaderRecord | undefined,
): void {
  if (outgoing instanceof DefaultHeadersResponse) outgoing.overrides = headersOf;
}

/** Options of `createDefaultHeaders`. */
export type DefaultHeadersOptions = {
  /** The addresses of the configuration. */
  readonly publicBaseUrls: readonly string[];
  /** Origins whose pages may read public documents; `*` allows every origin. */
  readonly corsOrigins: readonly string[];
};

/** Sets the default headers of an answer. `isFeed` = the answer belongs to a package protocol. */
export type SetDefaultHeaders = (
  outgoing: ServerResponse,
  request: {
    readonly address: HostAddress;
    readonly isFeed: boolean;
    readonly origin: string | undefined;
  },
) => void;

/** Half a year. */
const HSTS = { "strict-transport-security": "max-age=15552000" };

/** Creates the function that sets the default headers of each answer. */
export function createDefaultHeaders({
  publicBaseUrls,
  corsOrigins,
}: DefaultHeadersOptions): SetDefaultHeaders {
  const httpHosts = new Set(
    publicBaseUrls
      .map((base) => new URL(base))
      .filter(isHttp)
      .map(({ hostname }) => hostname),
  );
  const combined = combinations(corsOrigins);
  const secure = new WeakMap<HostAddress, boolean>();
  const isSecure = (address: HostAddress): boolean => {
    const cachedResult = secure.get(address);
    if (cachedResult !== undefined) return cachedResult;
    const result = isHttpsOnly(ownBase(address), httpHosts);
    secure.set(address, result);
    return result;
  };
  return (outgoing, { address, isFeed, origin }) => {
    if (!(outgoing instanceof DefaultHeadersResponse)) return;
    outgoing.defaults = combined(isSecure(address), isFeed, origin);
  };
}

/** HSTS applies to every port of a host name, so none of its configured addresses may be http. */
function isHttpsOnly(base: string, httpHosts: ReadonlySet<string>): boolean {
  if (!base.startsWith("https:") || !URL.canParse(base)) return false;
  const { hostname } = new URL(base);
  return !isLoopbackHost(hostname) && !httpHosts.has(hostname);
}

function isHttp({ protocol }: URL): boolean {
  return protocol === "http:";
}

/** Creates each combination once. */
function combinations(corsOrigins: readonly string[]) {
  const allowed = new Set(corsOrigins);
  const all = new Map<string, DefaultHeaders>();
  return (isSecure: boolean, isFeed: boolean, origin: string | undefined): DefaultHeaders => {
    const isOpen = isFeed && allowed.size > 0;
    const toAll = isOpen && allowed.has("*");
    const to = toAll ? "*" : isOpen && origin !== undefined && allowed.has(origin) ? origin : "";
    const key = `${isSecure ? "s" : "-"}${isOpen ? "o" : "-"}${to}`;
    const knownHeaders = all.get(key);
    if (knownHeaders) return knownHeaders;
    const cors = { "access-control-allow-origin": to, "access-control-expose-headers": "*" };
    const record = { ...NOSNIFF.record, ...(isSecure && HSTS), ...(to !== "" && cors) };
    const made = defaultHeadersOf(record, isOpen && !toAll);
    all.set(key, made);
    return made;
  };
}

function defaultHeadersOf(
  record: Readonly<Record<string, string>>,
  varies = false,
): DefaultHeaders {
  return { record, raw: Object.entries(record).flat(), varies };
}
