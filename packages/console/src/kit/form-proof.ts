import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Codes in forms. A browser adds its stored credentials to requests of every site; other sites
 * cannot read the code of a form. A code is valid for one hour, for the same fields.
 */
export type FormProofs = {
  /** Returns `<expiry time>.<HMAC code>`. */
  make(fields: readonly string[]): string;
  /** `expired`: the code was valid for these fields. */
  check(fields: readonly string[], proof: string | undefined): "valid" | "expired" | "wrong";
};

/** Name of the form field that contains the code. */
export const PROOF_FIELD = "proof";

const PROOF_LIFETIME_MS = 60 * 60 * 1_000;

export function createFormProofs({
  pepper,
  now,
}: {
  readonly pepper: string;
  readonly now: () => Date;
}): FormProofs {
  const codeOf = (fields: readonly string[], until: number): string => {
    const text = JSON.stringify([...fields, until]);
    return `${until}.${createHmac("sha256", pepper).update(text).digest("base64url")}`;
  };
  return {
    make: (fields) => codeOf(fields, now().getTime() + PROOF_LIFETIME_MS),
    check(fields, proof = "") {
      const [, digits] = /^(\d{1,15})\./.exec(proof) ?? [];
      const until = Number(digits ?? 0);
      const expected = Buffer.from(codeOf(fields, until));
      const bytes = Buffer.from(proof);
      const isOurs = bytes.length === expected.length && timingSafeEqual(bytes, expected);
      if (!isOurs) return "wrong";
      return until <= now().getTime() ? "expired" : "valid";
    },
  };
}
