import type { Protocol } from "@sealhouse/request-types";

/** Removes the port and a final slash, which some clients add, and the letter case. */
export function normalizeAudience(audience: string): string {
  return audience
    .toLowerCase()
    .replace(/\/$/, "")
    .replace(/:\d{1,5}$/, "");
}

/**
 * Returns the audiences of each protocol. `hosts`: the configured host names. Requests may name any
 * host, so they do not decide which audiences are accepted. `more`: further audiences.
 */
export function surfaceAudiences(
  hosts: Readonly<Record<Protocol, readonly string[]>>,
  more: { readonly npm: readonly string[]; readonly others: readonly string[] },
): Readonly<Record<Protocol, ReadonlySet<string>>> {
  const set = (audiences: readonly string[]) => new Set(audiences.map(normalizeAudience));
  return {
    nuget: set([...hosts.nuget.map((host) => `https://${host}`), ...more.others]),
    npm: set([...hosts.npm.map((host) => `npm:${host}`), ...more.npm]),
    oci: set([...hosts.oci.map((host) => `https://${host}`), ...more.others]),
  };
}
