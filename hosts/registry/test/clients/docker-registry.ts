import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TOKEN_ISSUER, TOKEN_SERVICE } from "./token-service.ts";
import type { TokenService } from "./token-service.ts";

/** Debian's docker-registry in its own process, with its own folder. */
export type DockerRegistry = AsyncDisposable & {
  readonly url: string;
  /** Arguments of `sealhouse import oci`. */
  readonly storage: string;
};

export const BASIC_USER = { username: "somebody", password: "open sesame" };
/** The bcrypt hash of the password above. */
const HTPASSWD = "somebody:$2y$05$abcdefghijklmnopqrstuupx2xBUC4954936wVIjyyPHmUBFu0wCW\n";
const STARTS_WITHIN_MS = 30_000;

export async function startDockerRegistry(
  options: { readonly wantsBasic?: boolean; readonly tokens?: TokenService } = {},
): Promise<DockerRegistry> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-docker-registry-"));
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const storage = join(folder, "storage");
  const passwords = join(folder, "htpasswd");
  await writeFile(passwords, HTPASSWD);
  const { tokens } = options;
  const authorities = join(folder, "authorities.pem");
  if (tokens) await writeFile(authorities, tokens.issuersPem);
  const token = tokens && {
    realm: tokens.url,
    service: TOKEN_SERVICE,
    issuer: TOKEN_ISSUER,
    rootcertbundle: authorities,
  };
  const config = {
    version: "0.1",
    log: { level: "info" },
    storage: { filesystem: { rootdirectory: storage }, delete: { enabled: true } },
    http: { addr: "127.0.0.1:0" },
    ...(token && { auth: { token } }),
    ...(options.wantsBasic && { auth: { htpasswd: { realm: "here", path: passwords } } }),
  };
  // JSON is YAML, too.
  await writeFile(join(folder, "config.yml"), JSON.stringify(config));
  const child = spawn("docker-registry", ["serve", join(folder, "config.yml")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  opened.defer(async () => {
    if (child.exitCode !== null || !child.kill("SIGKILL")) return;
    await once(child, "close");
  });
  const port = await portIn(child.stderr);
  // Otherwise it would block once the pipe is full.
  child.stderr.resume();
  const owned = opened.move();
  return {
    url: `http://127.0.0.1:${port}`,
    storage,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function portIn(log: NodeJS.ReadableStream): Promise<string> {
  const signal = AbortSignal.timeout(STARTS_WITHIN_MS);
  let text = "";
  for (;;) {
    const [chunk]: unknown[] = await once(log, "data", { signal });
    text += String(chunk);
    const [, port] = /listening on 127\.0\.0\.1:(\d+)/.exec(text) ?? [];
    if (port !== undefined) return port;
  }
}
