import type { Maintainer, PackageAccess } from "@sealhouse/npm-protocol";
import type { Row } from "../raw/query-port.ts";
import { optionalTextOf } from "../raw/row.ts";

/** Undefined for a package from before maintainers existed. */
export function maintainersOf(row: Row): readonly Maintainer[] | undefined {
  const text = optionalTextOf(row, "maintainers");
  return text === undefined ? undefined : (JSON.parse(text) as readonly Maintainer[]);
}

export function accessOf(row: Row): PackageAccess | undefined {
  const text = optionalTextOf(row, "access");
  return text === "public" || text === "restricted" ? text : undefined;
}
