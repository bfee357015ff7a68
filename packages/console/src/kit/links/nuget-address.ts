import type { PublicAddress } from "../page/public-address.ts";

type PackageIdentity = { readonly id: string; readonly version?: string };

export function searchPath({ root }: PublicAddress, search: URLSearchParams): string {
  const text = search.toString();
  return `${root}/packages${text === "" ? "" : `?${text}`}`;
}

/** Returns the path of the page of a package or version. */
export function packagePath({ root }: PublicAddress, { id, version }: PackageIdentity): string {
  const path = `${root}/packages/${segment(id)}`;
  return version === undefined ? path : `${path}/${segment(version)}`;
}

/** Returns the path of a file that the NuGet feed serves for a version. */
export function contentPath(
  { root }: PublicAddress,
  { id, version }: Required<PackageIdentity>,
  file: "nupkg" | "nuspec" | "icon" | "provenance",
): string {
  const lower = segment(id.toLowerCase());
  const number = segment(version.toLowerCase());
  const names = {
    icon: "icon",
    nuspec: `${lower}.nuspec`,
    nupkg: `${lower}.${number}.nupkg`,
    provenance: "provenance.json",
  };
  return `${root}/v3/package/${lower}/${number}/${names[file]}`;
}

function segment(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
