import { execFile, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { CreateBucketCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { cephConfig } from "./ceph-config.ts";

const run = promisify(execFile);
const START_MS = 60_000;
const PROGRAMS = ["ceph", "ceph-mon", "ceph-osd", "radosgw", "radosgw-admin"] as const;

/** The access key of the user that owns all buckets. */
export const ACCESS_KEY = "acmekey";
export const SECRET_KEY = "acme/secret+of=the:test";

/** A role that the user may assume; only its session may be used with `ROLE_ARN`. */
export const ROLE_ARN = "arn:aws:iam:::role/registry";

/**
 * A running radosgw, the S3 server of Ceph: a monitor, one OSD with its objects in memory and the
 * gateway.
 */
export type Radosgw = AsyncDisposable & {
  /** Its origin: `http://127.0.0.1:1`. It also answers STS. */
  readonly url: string;
  /** The SDK's own client. */
  readonly client: S3Client;
  /** Creates a bucket with a new name. */
  createBucket(): Promise<string>;
  /** The settings of a host for one bucket. */
  settingsFor(bucket: string, url?: string): Readonly<Record<string, string>>;
};

/** Whether the Debian packages ceph-mon, ceph-osd, ceph-common and radosgw are installed. */
export function hasRadosgw(untried: string): boolean {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const missing = PROGRAMS.filter(
    (program) => !folders.some((folder) => existsSync(join(folder, program))),
  );
  if (missing.length === 0) return true;
  process.stderr.write(`\nSKIPPED: ${missing.join(", ")} not on the PATH, so ${untried}\n\n`);
  return false;
}

/** Starts Ceph in a new folder, in about ten seconds. The disposal ends it. */
export async function startRadosgw(): Promise<Radosgw> {
  const folder = await mkdtemp(join(tmpdir(), "rgw-"));
  const servers: Server[] = [];
  const stop = async (): Promise<void> => {
    for (const server of servers.toReversed()) await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const port = await startServers(folder, servers);
    const url = `http://127.0.0.1:${port}`;
    const client = new S3Client({
      endpoint: url,
      region: "us-east-1",
      forcePathStyle: true,
      credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY },
    });
    const createBucket = async (): Promise<string> => {
      const name = `b-${randomBytes(6).toString("hex")}`;
      await client.send(new CreateBucketCommand({ Bucket: name }));
      return name;
    };
    // The first bucket and the first object take two seconds each.
    await client.send(new PutObjectCommand({ Bucket: await createBucket(), Key: "x", Body: "x" }));
    return {
      url,
      client,
      createBucket,
      settingsFor: (bucket, serviceUrl = url) => ({
        Storage__Type: "AwsS3",
        Storage__ServiceUrl: serviceUrl,
        Storage__ForcePathStyle: "true",
        Storage__Region: "us-east-1",
        Storage__AccessKey: ACCESS_KEY,
        Storage__SecretKey: SECRET_KEY,
        Storage__Bucket: bucket,
      }),
      async [Symbol.asyncDispose]() {
        client.destroy();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the port of the gateway. */
async function startServers(folder: string, servers: Server[]): Promise<number> {
  const [gateway, monitor, oldMonitor] = await freePorts();
  const id = randomUUID();
  const config = join(folder, "ceph.conf");
  for (const name of ["mon", "osd", "mgr", "rgw"]) await mkdir(join(folder, name));
  await writeFile(config, cephConfig({ folder, id, gateway, monitor, oldMonitor }));
  const ceph = (program: string, ...words: readonly string[]) =>
    run(program, ["-c", config, ...words], { cwd: folder, timeout: START_MS });
  const start = (program: string, ...words: readonly string[]): void => {
    servers.push(startServer(program, ["-c", config, "-f", ...words], folder));
  };
  await createKeys(folder);
  const address = `[v2:127.0.0.1:${monitor},v1:127.0.0.1:${oldMonitor}]`;
  await run("monmaptool", ["--create", "--fsid", id, "--addv", "a", address, "monmap"], {
    cwd: folder,
  });
  await ceph("ceph-mon", "--mkfs", "-i", "a", "--monmap", "monmap", "--keyring", "keyring");
  start("ceph-mon", "-i", "a");
  const osd = randomUUID();
  await ceph("ceph", "osd", "new", osd);
  await ceph("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", osd);
  start("ceph-osd", "-i", "0");
  start("radosgw", "-n", "client.rgw");
  await answers(`http://127.0.0.1:${gateway}`);
  await createUser(ceph);
  return gateway;
}

const KEYS: readonly (readonly [name: string, ...capabilities: readonly string[]])[] = [
  ["mon.", "mon"],
  ["client.admin", "mon", "osd", "mgr"],
  ["client.rgw", "mon", "osd", "mgr"],
];

async function createKeys(folder: string): Promise<void> {
  const ring = (...words: readonly string[]) => run("ceph-authtool", words, { cwd: folder });
  await ring("--create-keyring", "keyring");
  for (const [name, ...capabilities] of KEYS) {
    const caps = capabilities.flatMap((daemon) => ["--cap", daemon, "allow *"]);
    await ring("keyring", "--gen-key", "-n", name, ...caps);
  }
  const caps = ["--cap", "mon", "allow profile osd", "--cap", "osd", "allow *"];
  await ring("keyring", "--gen-key", "-n", "osd.0", ...caps);
}

type Ceph = (program: string, ...words: readonly string[]) => Promise<unknown>;

/** The user with its key, and a role that gives the rights of an administrator of its buckets. */
async function createUser(ceph: Ceph): Promise<void> {
  const admin = (...words: readonly string[]) => ceph("radosgw-admin", ...words);
  const user = ["--uid=acme", "--display-name=acme"];
  await admin(
    "user",
    "create",
    ...user,
    `--access-key=${ACCESS_KEY}`,
    `--secret-key=${SECRET_KEY}`,
  );
  const trust = {
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Principal: { AWS: ["arn:aws:iam:::user/acme"] },
        Action: ["sts:AssumeRole"],
      },
    ],
  };
  const rights = {
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Action: ["s3:*"], Resource: ["arn:aws:s3:::*"] }],
  };
  const role = "--role-name=registry";
  const trustText = `--assume-role-policy-doc=${JSON.stringify(trust)}`;
  await admin("role", "create", role, trustText);
  const rightsText = `--policy-doc=${JSON.stringify(rights)}`;
  await admin("role-policy", "put", role, "--policy-name=buckets", rightsText);
}

type Server = { readonly stop: () => Promise<void> };

/** Kills the server when its standard input ends, which comes with the end of this process. */
const END_WITH_STDIN = `"$@" & read -r _; kill -KILL $!; wait $!; rm -rf "$PWD"`;

function startServer(program: string, words: readonly string[], folder: string): Server {
  const shell = spawn("sh", ["-c", END_WITH_STDIN, "sh", program, ...words], {
    cwd: folder,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = new Promise<void>((resolve) => shell.once("exit", () => resolve()));
  return {
    async stop() {
      shell.stdin.end();
      await ended;
    },
  };
}

async function answers(url: string): Promise<void> {
  const until = Date.now() + START_MS;
  for (;;) {
    try {
      await (await fetch(url)).body?.cancel();
      return;
    } catch {
      if (Date.now() > until) throw new Error("radosgw did not start in time");
      await delay(100);
    }
  }
}

async function freePorts(): Promise<readonly [number, number, number]> {
  const servers = [createServer(), createServer(), createServer()] as const;
  const ports: number[] = [];
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new TypeError("no port");
    ports.push(address.port);
  }
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  const [first = 0, second = 0, third = 0] = ports;
  return [first, second, third];
}
