import { randomBytes } from "node:crypto";
import { isFormToken, makeFormToken } from "@sealhouse/identity";
import type { PublicAddress } from "../page/public-address.ts";
import type { From } from "../page/shown-page.ts";

/** The forms of pages, with codes that other sites cannot read. */
export type PageForms = {
  /** Creates the code of a form for these fields. It is valid for one hour. */
  make(from: From, fields: readonly string[]): string;
  /** `expired`: the code was valid for these fields. */
  check(
    from: From,
    fields: readonly string[],
    proof: string | undefined,
  ): "valid" | "expired" | "wrong";
  /** Whether a page of another site sent the form. */
  isFromElsewhere(from: From, address: PublicAddress): boolean;
};

/** Name of the form field that contains the code. */
export const PROOF_FIELD = "proof";

const PROOF_LIFETIME_MS = 60 * 60 * 1_000;

export type PageFormOptions = {
  /** Key of the codes of callers without a session. */
  readonly pepper: string;
  readonly now: () => Date;
  /** The session that a request belongs to. */
  readonly sessionOf?: (from: From) => { readonly secret: string } | undefined;
  /** Configured origins of the registry; empty = none is configured. */
  readonly origins?: readonly string[];
};

/** Creates and checks the codes of the forms of pages. */
export function createPageForms({
  pepper,
  now,
  sessionOf = () => undefined,
  origins = [],
}: PageFormOptions): PageForms {
  const keyOf = (from: From) => sessionOf(from)?.secret ?? pepper;
  return {
    make: (from, fields) => makeProof(keyOf(from), fields, now()),
    check: (from, fields, proof) => checkProof(keyOf(from), { fields, proof, now: now() }),
    isFromElsewhere: (from, address) =>
      isFromElsewhere(from.request, {
        address,
        origins,
        hasSession: sessionOf(from) !== undefined,
      }),
  };
}

/** Creates the code `<expiry time>.<masked HMAC>`. */
export function makeProof(key: string, fields: readonly string[], now: Date): string {
  const until = now.getTime() + PROOF_LIFETIME_MS;
  return `${until}.${makeFormToken({ key, purpose: purposeOf(fields, until) }, randomBytes)}`;
}

export function checkProof(
  key: string,
  {
    fields,
    proof = "",
    now,
  }: {
    readonly fields: readonly string[];
    readonly proof: string | undefined;
    readonly now: Date;
  },
): "valid" | "expired" | "wrong" {
  const [, digits = "", token = ""] = /^(\d{1,15})\.([\w-]+)$/.exec(proof) ?? [];
  const until = Number(digits);
  if (!isFormToken(token, { key, purpose: purposeOf(fields, until) })) return "wrong";
  return until <= now.getTime() ? "expired" : "valid";
}

function purposeOf(fields: readonly string[], until: number): string {
  return JSON.stringify([...fields, until]);
}

type Sender = {
  readonly address: PublicAddress;
  readonly origins: readonly string[];
  readonly hasSession: boolean;
};

/**
 * Browsers attach cookies to requests that other sites and ports trigger. They report the origin in
 * `Sec-Fetch-Site` and `Origin`; with a session, one of them must be present.
 */
export function isFromElsewhere(
  { headers }: Request,
  { address, origins, hasSession }: Sender,
): boolean {
  const origin = headers.get("origin");
  const isOwnOrigin =
    origins.length > 0
      ? origin !== null && origins.includes(origin)
      : origin !== null && URL.parse(origin)?.host === address.host;
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site !== "same-origin" || (origin !== null && !isOwnOrigin);
  return origin === null ? hasSession : !isOwnOrigin;
}
