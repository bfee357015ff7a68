import { randomUUID } from "node:crypto";
import type { NpmTrust, TrustClaims, TrustedPublisher, TrustedPublishers } from "../trust/ports.ts";
import { trustsTwice } from "../trust/trust-claims.ts";

/** Who is trusted, in memory. */
export function createMemoryTrustedPublishers(now: () => Date): TrustedPublishers {
  const keptPublishers = new Map<string, readonly TrustedPublisher[]>();
  const of = (name: string) => keptPublishers.get(name) ?? [];
  return {
    list: async (name) => of(name),
    async add(name, newPublishers, { actor: createdBy }, most) {
      if (trustsTwice(of(name), newPublishers)) return { status: "present" };
      if (of(name).length + newPublishers.length > most) return { status: "crowded" };
      const made = { createdAt: now(), createdBy };
      const publishers = newPublishers.map((publisher) => ({
        ...publisher,
        id: randomUUID(),
        ...made,
      }));
      keptPublishers.set(name, [...of(name), ...publishers]);
      return { status: "added", publishers };
    },
    async revoke(name, id) {
      const rest = of(name).filter((publisher) => publisher.id !== id);
      if (rest.length === of(name).length) return "absent";
      keptPublishers.set(name, rest);
      return "revoked";
    },
  };
}

export const GITHUB = "https://token.actions.test";
export const GITLAB = "https://gitlab.test";

/** Believes a bearer token that is the JSON text of `{ issuer, claims, fingerprint }`. */
export function createMemoryTrust(publishers: TrustedPublishers, now: () => Date): NpmTrust {
  const issued = new Map<string, number>();
  return {
    publishers,
    issuers: { github: GITHUB, gitlab: GITLAB },
    async exchange({ request, name }) {
      const text = request.headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
      if (!text.startsWith("{")) return { status: "refused", reason: "It is no ID token." };
      const { issuer, claims, fingerprint } = JSON.parse(text) as MadeUpIdToken;
      const known = await publishers.list(name);
      const publisher = known.find((one) => one.issuer === issuer && fits(one.claims, claims));
      if (!publisher) return { status: "distrusted", claims };
      if (claims["revoked"] === true) return { status: "revoked" };
      if (claims["limited"] === true) return { status: "limited", retryAfterSeconds: 2 };
      const key = `${name} ${fingerprint}`;
      const times = (issued.get(key) ?? 0) + 1;
      issued.set(key, times);
      const createdAt = now();
      const expiresAt = new Date(createdAt.getTime() + 60_000);
      const token = `for-${publisher.id}${times > 1 ? `-${times}` : ""}`;
      return { status: "issued", token, createdAt, expiresAt };
    },
  };
}

type MadeUpIdToken = {
  readonly issuer: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly fingerprint: string;
};

/** The host compares more; the routes need any difference. */
function fits(wanted: TrustClaims, claims: MadeUpIdToken["claims"]): boolean {
  return Object.entries(wanted).every(([key, claim]) => {
    const value = claims[key];
    if (typeof claim === "string") return value === claim;
    return typeof value === "string" && "file" in claim && value.includes(`/${claim.file}@`);
  });
}
