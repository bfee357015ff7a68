import type { Snippet } from "../kit/install-snippets.ts";
import type { PublicAddress } from "../kit/public-address.ts";
import type { TrustedCertificate } from "./model.ts";

/** The SDK's own list of roots for code signing, in a POSIX shell. */
const SDK_LIST =
  '"$(dirname "$(readlink -f "$(command -v dotnet)")")' +
  '/sdk/$(dotnet --version)/trustedroots/codesignctl.pem"';
/** Where it exists, the client reads this instead of the SDK's list. */
const MACHINE_LIST = "/etc/pki/ca-trust/extracted/pem/objsign-ca-bundle.pem";
const PEM_FILE = "sealhouse.pem";

/** How a machine comes to trust self-issued `certificates`, for every feed and every package. */
export function installSnippets(
  certificates: readonly TrustedCertificate[],
  address: PublicAddress,
): readonly Snippet[] {
  const fetched = certificates.map((certificate, at) => pemLine(certificate, at, address));
  const fetchPart = { label: "Fetch the root, as PEM", lines: fetched };
  return [
    {
      key: "linux",
      title: "Linux",
      parts: [
        fetchPart,
        {
          label: "Give this machine a list of its own: the SDK's, and the root",
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
          label: "These systems keep the list themselves",
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
          label: "In a Dockerfile that begins with the .NET SDK",
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
        lines: certificates.flatMap((certificate, at) => {
          const file = `sealhouse-${at + 1}.crt`;
          return [
            `Invoke-WebRequest ${certificateUrl(certificate, address)} -OutFile ${file}`,
            `Import-Certificate -FilePath ${file} -CertStoreLocation Cert:\\LocalMachine\\Root`,
          ];
        }),
      },
    ],
  };
}

/** The certificate itself, DER. */
export function certificateUrl(
  { fingerprint }: Pick<TrustedCertificate, "fingerprint">,
  { base }: Pick<PublicAddress, "base">,
): string {
  const file = encodeURIComponent(fingerprint.toLowerCase().toWellFormed());
  return `${base}/v3/certificates/${file}.crt`;
}

/** Needs nothing but what every image of the SDK has. */
function pemLine(certificate: TrustedCertificate, at: number, address: PublicAddress): string {
  const [begin, end] = ["-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"];
  const fetched = `curl -fsS ${certificateUrl(certificate, address)} | base64`;
  const into = at === 0 ? ">" : ">>";
  return `(echo "${begin}"; ${fetched}; echo "${end}") ${into} ${PEM_FILE}`;
}
