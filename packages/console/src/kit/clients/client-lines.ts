import type { PublicAddress } from "../page/public-address.ts";

/** Placeholder for the reader's token in shell lines. */
export const TOKEN_PLACEHOLDER = "YOUR_TOKEN";

/** Returns the service index URL of the NuGet feed. */
export function nugetIndexOf(base: string): string {
  return `${base}/v3/index.json`;
}

/** Returns the registry URL for npm, pnpm, yarn and bun. */
export function npmRegistryOf(base: string): string {
  return `${base}/npm/`;
}

/** Returns the shell line that adds the NuGet feed as a source. */
export function addFeedLine(
  { base, secure }: PublicAddress,
  { name, anonymousRead }: { readonly name: string; readonly anonymousRead: boolean },
): string {
  const source = `dotnet nuget add source ${nugetIndexOf(base)} --name ${sourceNameOf(name)}`;
  const credentials = anonymousRead
    ? ""
    : ` --username token --password ${TOKEN_PLACEHOLDER} --store-password-in-clear-text`;
  return source + credentials + insecureOption(secure);
}

/** .NET 9 and later require this option for sources with plain HTTP (NU1302). */
export function insecureOption(secure: boolean): string {
  return secure ? "" : " --allow-insecure-connections";
}

/** Derives the source name for client settings: `Contoso Packages` becomes `contoso-packages`. */
export function sourceNameOf(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z\d]+/g, "-");
  return plain.replaceAll(/^-|-$/g, "") || "sealhouse";
}
