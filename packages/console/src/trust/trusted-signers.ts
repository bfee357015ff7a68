import { sourceNameOf, TOKEN_PLACEHOLDER } from "../kit/clients/client-lines.ts";
import { SHELL_SAFE } from "../kit/clients/shell-lines.ts";
import type { Site } from "../kit/page/model.ts";
import { contentPath } from "../kit/links/nuget-address.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import type { TrustedCertificate, TrustPage } from "./model.ts";
import { isSelfIssued } from "./model.ts";

/**
 * Returns the `trustedSigners` element of nuget.config. NuGet compares the fingerprint
 * case-sensitively, in upper case, when it decides whether to allow an untrusted root.
 */
export function trustedSigners(
  certificates: readonly TrustedCertificate[],
  { name }: Pick<Site, "name">,
  { base }: PublicAddress,
): readonly string[] {
  return [
    "<trustedSigners>",
    `  <repository name="${sourceNameOf(name)}" serviceIndex="${base}/v3/index.json">`,
    ...certificates.flatMap((certificate) => [
      `    <certificate fingerprint="${certificate.fingerprint.toUpperCase()}"`,
      `      hashAlgorithm="SHA256" allowUntrustedRoot="${String(isSelfIssued(certificate))}" />`,
    ]),
    "  </repository>",
    "</trustedSigners>",
  ];
}

/** Returns shell lines that download a package and let `dotnet nuget trust` write the element. */
export function trustRepositoryLines(
  { certificates = [], example }: TrustPage,
  { name, anonymousRead }: Pick<Site, "name" | "anonymousRead">,
  address: PublicAddress,
): readonly string[] {
  const isSafe = example && SHELL_SAFE.test(example.id) && SHELL_SAFE.test(example.version);
  const { id, version } = isSafe ? example : { id: "Acme.Widgets", version: "1.0.0" };
  const path = contentPath({ ...address, root: address.base }, { id, version }, "nupkg");
  const file = path.slice(path.lastIndexOf("/") + 1);
  const credentials = anonymousRead ? "" : ` --user token:${TOKEN_PLACEHOLDER}`;
  const untrusted = certificates.some(isSelfIssued) ? " --allow-untrusted-root" : "";
  return [
    `curl -fsSO${credentials} ${path}`,
    `dotnet nuget trust repository ${sourceNameOf(name)} ${file}${untrusted}`,
  ];
}
