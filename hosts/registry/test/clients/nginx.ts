import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestHost } from "../../src/testing/index.ts";
import { freePort } from "../free-port.ts";
import { makeServerCertificate } from "./certificate-authority.ts";

export type Nginx = AsyncDisposable & {
  /** `https://packages.test:port`, or with the other name; clients need a lookup that resolves it
   * to 127.0.0.1. */
  readonly url: string;
  readonly port: number;
  /** PEM of the authority that its certificate is from. */
  readonly authority: string;
  readonly authorityPath: string;
  /** Contents of the error log. */
  errors(): Promise<string>;
};

const PAGE = new URL("../../../../docs/proxies.md", import.meta.url);
const STARTS_WITHIN_MS = 10_000;

/** nginx by https in front of the host, with the server block of `docs/proxies.md`. */
export async function startNginx(
  host: TestHost,
  folder: string,
  name = "packages.test",
): Promise<Nginx> {
  const files = await makeServerCertificate(folder, `DNS:${name}`);
  const port = await freePort();
  const server = replaced(await documentedBlock("nginx"), [
    ["listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`],
    ["server_name packages.example;", `server_name ${name};`],
    ["/etc/nginx/packages.pem", files.certificate],
    ["/etc/nginx/packages.key", files.key],
    ["http://127.0.0.1:8080", host.url],
  ]);
  const running = await runNginx({ folder, port, server });
  return {
    ...running,
    url: `https://${name}:${port}`,
    authorityPath: files.authority,
    authority: await readFile(files.authority, "utf8"),
  };
}

export type Balancer = AsyncDisposable & {
  /** `http://127.0.0.1:port`: all clients resolve it. */
  readonly url: string;
  /** Contents of the error log. */
  errors(): Promise<string>;
};

/** nginx without TLS in front of three instances, with both blocks of `docs/proxies.md`. */
export async function startBalancer(
  instances: readonly { readonly url: string }[],
  { folder, port }: { readonly folder: string; readonly port: number },
): Promise<Balancer> {
  const addresses = instances.map(({ url }) => new URL(url).host);
  const upstream = replaced(
    await documentedBlock("nginx instances"),
    addresses.map((address, index) => [`10.0.0.${index + 11}:8080`, address]),
  );
  const server = replaced(await documentedBlock("nginx"), [
    ["listen 443 ssl;", `listen 127.0.0.1:${port};`],
    ["server_name packages.example;", ""],
    ["ssl_certificate /etc/nginx/packages.pem;", ""],
    ["ssl_certificate_key /etc/nginx/packages.key;", ""],
    ["http://127.0.0.1:8080", "http://sealhouse"],
  ]);
  const running = await runNginx({ folder, port, server: upstream + server });
  return { ...running, url: `http://127.0.0.1:${port}` };
}

async function documentedBlock(name: string): Promise<string> {
  const page = await readFile(PAGE, "utf8");
  const text = new RegExp(`^\`\`\`${name}\n(.*?)^\`\`\`$`, "ms").exec(page)?.[1];
  if (text === undefined) throw new Error(`docs/proxies.md has no block "${name}"`);
  return text;
}

type Running = AsyncDisposable & Pick<Nginx, "port" | "errors">;

/** `server`: what is in the http block. */
async function runNginx(parts: {
  readonly folder: string;
  readonly port: number;
  readonly server: string;
}): Promise<Running> {
  const { folder, port, server } = parts;
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  await mkdir(join(folder, "temporary"));
  const paths = temporary.map((name) => `${name}_temp_path ${folder}/temporary/${name};`);
  const log = join(folder, "error.log");
  await writeFile(
    join(folder, "nginx.conf"),
    `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${log};
events { worker_connections 256; }
http { access_log off; ${paths.join(" ")} ${server} }`,
  );
  const child = spawn("nginx", ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", log], {
    stdio: "ignore",
  });
  const errors = () => readFile(log, "utf8").catch(() => "");
  if (!(await listens(port))) {
    child.kill();
    throw new Error(`nginx did not start:\n${await errors()}`);
  }
  return {
    port,
    errors,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "close");
      child.kill("SIGQUIT");
      await ended;
    },
  };
}

/** Throws when the documented text lacks one of the replaced parts. */
function replaced(text: string, pairs: readonly (readonly [string, string])[]): string {
  let changed = text;
  for (const [from, to] of pairs) {
    if (!changed.includes(from)) throw new Error(`the block for nginx has no ${from}`);
    changed = changed.replaceAll(from, to);
  }
  return changed;
}

async function listens(port: number): Promise<boolean> {
  for (const until = Date.now() + STARTS_WITHIN_MS; Date.now() < until; await sleep(50)) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return true;
  }
  return false;
}
