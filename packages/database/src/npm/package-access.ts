import type { Maintainer, PackageAccess } from "@sealhouse/npm-protocol";

/** Undefined for a package from before maintainers existed. */
export function maintainersOf({
  maintainers,
}: {
  readonly maintainers: string | null;
}): readonly Maintainer[] | undefined {
  return maintainers === null ? undefined : (JSON.parse(maintainers) as readonly Maintainer[]);
}

export function accessOf({
  access,
}: {
  readonly access: string | null;
}): PackageAccess | undefined {
  return access === "public" || access === "restricted" ? access : undefined;
}
