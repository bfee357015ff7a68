import type { Maintainer, PackageAccess } from "@sealhouse/npm-protocol";
import { isListed } from "../ownership/listed-publisher.ts";

export function maintainersOf({
  maintainers,
}: {
  readonly maintainers: string;
}): readonly Maintainer[] {
  return (JSON.parse(maintainers) as readonly Maintainer[]).filter(({ name }) => isListed(name));
}

export function accessOf({
  access,
}: {
  readonly access: string | null;
}): PackageAccess | undefined {
  return access === "public" || access === "restricted" ? access : undefined;
}
