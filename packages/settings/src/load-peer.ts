import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** Optional peer dependencies that one feature of a package needs. */
export type Peers = {
  /** Begins the message of the error, such as `Sending mail`. */
  readonly feature: string;
  readonly packages: readonly string[];
  /** URL of the package.json that declares the peers. */
  readonly manifest: string;
};

/** A feature needs optional peer dependencies that are not installed. */
export class PeerMissingError extends Error {
  override readonly name = "PeerMissingError";
  readonly code = "peer-missing";
  /** The packages that the feature needs, as arguments of `npm install`. */
  readonly packages: readonly string[];

  constructor(feature: string, packages: readonly string[], options?: ErrorOptions) {
    super(
      `${feature} needs packages that are not installed. Run: npm install ${packages.join(" ")}`,
      options,
    );
    this.packages = packages;
  }
}

/** Whether an error is a `PeerMissingError`, of any copy of this package. */
export function isPeerMissing(error: unknown): error is PeerMissingError {
  return error instanceof Error && "code" in error && error.code === "peer-missing";
}

/**
 * Loads code that needs optional peer dependencies. Each call loads again, so that a package that
 * is installed later is found.
 *
 * @throws PeerMissingError when one of the packages is not installed
 */
export async function loadPeer<T>(peers: Peers, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, peers.packages)) throw error;
    throw new PeerMissingError(peers.feature, await installable(peers), { cause: error });
  }
}

function isMissing(error: unknown, packages: readonly string[]): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  const isNotFound = error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND";
  return isNotFound && packages.some((name) => error.message.includes(`'${name}'`));
}

/** The packages with the versions that the manifest asks for. */
async function installable({ packages, manifest }: Peers): Promise<readonly string[]> {
  const { peerDependencies = {} } = JSON.parse(await readFile(fileURLToPath(manifest), "utf8")) as {
    readonly peerDependencies?: Readonly<Record<string, string>>;
  };
  return packages.map((name) => {
    const version = peerDependencies[name] ?? "";
    return /^[\d^~]/.test(version) ? `${name}@${version}` : name;
  });
}
