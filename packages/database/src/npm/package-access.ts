import type { Maintainer, PackageAccess } from "@sealhouse/npm-protocol";
import { isListed } from "../ownership/listed-publisher.ts";

/** Undefined for a package from before maintainers existed. */
export function maintainersOf({
  maintainers,
}: {
  readonly maintainers: string | null;
}): readonly Maintainer[] | undefined {
  if (maintainers === null) return undefined;
  return (JSON.parse(maintainers) as readonly Maintainer[]).filter(({ name }) => isListed(name));
}

export function accessOf({
  access,
}: {
  readonly access: string | null;
}): PackageAccess | undefined {
  return access === "public" || access === "restricted" ? access : undefined;
}
