import { coversName } from "@sealhouse/identity";
import type { Protocol } from "@sealhouse/request-types";
import type { MemberCatalog } from "../group/ports.ts";

const NAMES_AT_ONCE = 500;

/** Names that were published here, in pages. */
type OwnNames = (
  protocol: Protocol,
  page: { readonly after: string; readonly limit: number },
) => Promise<readonly string[]>;

/** Returns the names that a pattern covers. Releases take none of package sources. */
export function namesCovered(ownNames: OwnNames): MemberCatalog["names"] {
  return async (protocol, pattern, limit) => {
    const names: string[] = [];
    for (let after = ""; ;) {
      const page = await ownNames(protocol, { after, limit: NAMES_AT_ONCE });
      names.push(...page.filter((name) => coversName(pattern, protocol, name)));
      after = page.at(-1) ?? "";
      if (page.length < NAMES_AT_ONCE || names.length >= limit) return names.slice(0, limit);
    }
  };
}
