import type { Snippet } from "../kit/clients/install-snippets.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import type { TrustedCertificate } from "./model.ts";

/** The SDK's list of trusted roots for code signing, as a POSIX shell expression. */
const SDK_LIST =
  '"$(dirname "$(readlink -f "$(command -v dotnet)")")' +
  '/sdk/$(dotnet --version)/trustedroots/codesignctl.pem"';
/** NuGet reads this file instead of the SDK's list when it exists. */
const MACHINE_LIST = "/etc/pki/ca-trust/extracted/pem/objsign-ca-bundle.pem";
const PEM_FILE = "sealhouse.pem";

/** Returns instructions to trust self-issued `certificates` on a machine, for all feeds. */
export function installSnippets(
  certificates: readonly TrustedCertificate[],
  address: PublicAddress,
): readonly Snippet[] {
  const fetched = certificates.map((certificate, index) => pemLine(certificate, index, address));
  const fetchPart = { label: "Download the root certificate as PEM", lines: fetched };
  return [
    {
      key: "linux",
      title: "Linux",
      parts: [
        fetchPart,
        {
          label: "Add the root to a copy of the SDK's list for this machine",
          lines: [
            `sudo mkdir -p ${MACHINE_LIST.slice(0, MACHINE_LIST.lastIndexOf("/"))}`,
            `cat ${SDK_LIST} ${PEM_FILE} | sudo tee ${MACHINE_LIST} > /dev/null`,
          ],
        },
      ],
    },
    {
      key: "fedora",
      title: "Fedora, RHEL",
      parts: [
        fetchPart,
        {
          label: "Add the root to the system's list",
          lines: [`sudo cp ${PEM_FILE} /etc/pki/ca-trust/source/anchors/`, "sudo update-ca-trust"],
        },
      ],
    },
    windows(certificates, address),
    {
      key: "container",
      title: "Container",
      parts: [
        {
          label: "In a Dockerfile based on a .NET SDK image",
          lines: [...fetched.map((line) => `RUN ${line}`), `RUN cat ${PEM_FILE} >> ${SDK_LIST}`],
          kind: "file",
        },
      ],
    },
  ];
}

function windows(certificates: readonly TrustedCertificate[], address: PublicAddress): Snippet {
  return {
    key: "windows",
    title: "Windows",
    parts: [
      {
        label: "In PowerShell, as administrator",
        lines: certificates.flatMap((certificate, index) => {
          const file = `sealhouse-${index + 1}.crt`;
          return [
            `Invoke-WebRequest ${certificateUrl(certificate, address)} -OutFile ${file}`,
            `Import-Certificate -FilePath ${file} -CertStoreLocation Cert:\\LocalMachine\\Root`,
          ];
        }),
      },
    ],
  };
}

/** Returns the URL of the certificate in DER format. */
export function certificateUrl(
  { fingerprint }: Pick<TrustedCertificate, "fingerprint">,
  { base }: Pick<PublicAddress, "base">,
): string {
  const file = encodeURIComponent(fingerprint.toLowerCase().toWellFormed());
  return `${base}/v3/certificates/${file}.crt`;
}

/** Uses only tools that every SDK image contains. */
function pemLine(certificate: TrustedCertificate, index: number, address: PublicAddress): string {
  const [begin, end] = ["-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"];
  const fetched = `curl -fsS ${certificateUrl(certificate, address)} | base64`;
  const into = index === 0 ? ">" : ">>";
  return `(echo "${begin}"; ${fetched}; echo "${end}") ${into} ${PEM_FILE}`;
}
