import type { RefusedPerson } from "./provider.ts";
import { refuse } from "./refusal.ts";

/** Settings that decide about the second factor. */
export type SecondFactorRule = {
  readonly label: string;
  readonly requiresMfa: boolean;
  readonly mfaContexts: readonly string[];
};

/** Reads `amr`, `acr` and `acrs` (RFC 8176); undefined when the claims do not tell. */
export function secondFactorOf(
  claims: Readonly<Record<string, unknown>>,
  mfaContexts: readonly string[],
): boolean | undefined {
  const methods = textsOf(claims["amr"]);
  const contexts = [...textsOf(claims["acr"]), ...textsOf(claims["acrs"])];
  if (methods.includes("mfa") || contexts.some((context) => mfaContexts.includes(context))) {
    return true;
  }
  const isTold = methods.length > 0 || (mfaContexts.length > 0 && contexts.length > 0);
  return isTold ? false : undefined;
}

/** Refuses a sign-in without the second factor that the settings require. */
export function refuseWithoutSecondFactor(
  { requiresMfa, label }: SecondFactorRule,
  hasSecondFactor: boolean | undefined,
  shown: string,
): RefusedPerson | undefined {
  if (!requiresMfa || hasSecondFactor === true) return undefined;
  if (hasSecondFactor === false) {
    return refuse(
      "second-factor-missing",
      `This registry requires a second factor. Set one up for your account at ${label}, and sign ` +
        "in again with it.",
      shown,
    );
  }
  return refuse(
    "second-factor-unknown",
    `This registry requires a second factor, and ${label} does not confirm any. Ask the ` +
      "operator to add the claim amr, or to change Host__Authentication__RequireMfa.",
    shown,
  );
}

function textsOf(claim: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return values.filter((value) => typeof value === "string");
}
