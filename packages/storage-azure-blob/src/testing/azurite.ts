import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createRequire } from "node:module";
import { connect, createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { BlobServiceClient, StorageSharedKeyCredential } from "@azure/storage-blob";

/** The account that Azurite always has; its key is public. */
export const AZURITE_ACCOUNT = "devstoreaccount1";
export const AZURITE_KEY =
  "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/** A running Azurite, Microsoft's own emulator, with its objects in memory. */
export type Azurite = AsyncDisposable & {
  readonly port: number;
  /** Address of the account: `http://127.0.0.1:1/devstoreaccount1`. */
  readonly url: string;
  /** Creates a container with a new name. */
  createContainer(): Promise<string>;
  /** The settings of a host for one container. */
  settingsFor(container: string, url?: string): Readonly<Record<string, string>>;
  /** The SDK's own client. */
  readonly service: BlobServiceClient;
};

const START_MS = 30_000;
/** Ends Azurite with the process that started it: the standard input of Azurite ends then. */
const ENDS_WITH_STDIN =
  "data:text/javascript,process.stdin.resume().once('end', () => process.exit())";

/** Options of `startAzurite`. */
export type AzuriteOptions = {
  /** PEM files of a key and a certificate for `localhost`: with TLS, Azurite also takes tokens. */
  readonly tls?: { readonly key: string; readonly cert: string };
};

/** Starts Azurite as a separate process, which ends at the disposal. */
export async function startAzurite({ tls }: AzuriteOptions = {}): Promise<Azurite> {
  const port = await freePort();
  const root = dirname(createRequire(import.meta.url).resolve("azurite/package.json"));
  const child = spawn(
    process.execPath,
    [
      `--import=${ENDS_WITH_STDIN}`,
      join(root, "dist/src/blob/main.js"),
      "--inMemoryPersistence",
      "--blobHost=127.0.0.1",
      `--blobPort=${port}`,
      "--disableTelemetry",
      // The SDK speaks a newer version of the protocol than this Azurite knows.
      "--skipApiVersionCheck",
      "--silent",
      ...(tls ? [`--key=${tls.key}`, `--cert=${tls.cert}`, "--oauth=basic"] : []),
    ],
    { stdio: ["pipe", "ignore", "pipe"] },
  );
  let errorText = "";
  child.stderr.on("data", (chunk: Buffer) => (errorText += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await waitFor(port, () => {
    if (child.exitCode !== null) throw new Error(`Azurite ended: ${errorText}`);
  });
  const origin = tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
  const url = `${origin}/${AZURITE_ACCOUNT}`;
  const credential = new StorageSharedKeyCredential(AZURITE_ACCOUNT, AZURITE_KEY);
  const service = new BlobServiceClient(url, credential);
  return {
    port,
    url,
    service,
    async createContainer() {
      const name = `c-${randomBytes(6).toString("hex")}`;
      await service.getContainerClient(name).create();
      return name;
    },
    settingsFor: (container, serviceUrl = url) => ({
      Storage__Type: "AzureBlobStorage",
      Storage__AccountName: AZURITE_ACCOUNT,
      Storage__AccessKey: AZURITE_KEY,
      Storage__ServiceUrl: serviceUrl,
      Storage__Container: container,
    }),
    async [Symbol.asyncDispose]() {
      // A signal alone closes its server, and leaves the process waiting for its input.
      child.stdin.end();
      child.kill();
      await ended;
    },
  };
}

async function waitFor(port: number, check: () => void): Promise<void> {
  const until = Date.now() + START_MS;
  for (;;) {
    check();
    if (await isListening(port)) return;
    if (Date.now() > until) throw new Error("Azurite did not start in time");
    await delay(50);
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new TypeError("no port");
  return address.port;
}
