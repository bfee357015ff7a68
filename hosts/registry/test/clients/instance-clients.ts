import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import type { TestHost } from "../../src/testing/index.ts";
import { openNpmClient } from "../npm-clients/npm-client.ts";
import type { Artifact } from "../artifacts.ts";
import type { Ran } from "./client.ts";
import { run } from "./client.ts";
import { createDotnetClient } from "./dotnet-client.ts";
import { writeImageLayout } from "./image-layout.ts";

/** A push that its user repeats until it succeeds. */
export type Push = {
  readonly name: string;
  /** Resolves to undefined when it has succeeded, otherwise to a reason. */
  attempt(): Promise<string | undefined>;
  /** Whether an instance serves all of it. */
  isWhole(host: TestHost): Promise<boolean>;
};

export type Users = AsyncDisposable & {
  /** npm, dotnet and skopeo, each with one push under this name. */
  pushes(name: string): Promise<readonly Push[]>;
};

/** Real clients that know one address of the registry. */
export async function openUsers(options: {
  readonly folder: string;
  readonly url: string;
  readonly token: string;
}): Promise<Users> {
  const { folder, url, token } = options;
  await using opened = new AsyncDisposableStack();
  const npmFolder = join(folder, "npm");
  const npm = opened.use(
    await openNpmClient("npm-11", { folder: npmFolder, url, front: url, token }),
  );
  const source = `${url}/v3/index.json`;
  const home = join(folder, "dotnet");
  await mkdir(home, { recursive: true });
  const dotnet = await createDotnetClient({ folder: home, source, credentials: token });
  const owned = opened.move();

  const npmPush = async (name: string): Promise<Push> => {
    const project = await npm.source(name, "1.0.0");
    return {
      name: `npm ${name}`,
      async attempt() {
        const { code, output } = await npm.publish(project);
        // The first attempt was stored, and its answer lost.
        const isStored = /cannot publish over|already (?:exists|published)/i.test(output);
        return code === 0 || isStored ? undefined : output;
      },
      async isWhole(host) {
        const packument = Object(await jsonOf(host, `/npm/${name}`));
        const { integrity } = Object(packument["versions"])["1.0.0"].dist as { integrity: string };
        const tarball = await bytesOf(host, `/npm/${name}/-/${name}-1.0.0.tgz`);
        return `sha512-${createHash("sha512").update(tarball).digest("base64")}` === integrity;
      },
    };
  };

  const nugetPush = async (name: string): Promise<Push> => {
    const id = `Users.${name}`;
    const content = `${id}\n`.repeat(2_000);
    const file = join(home, `${id}.nupkg`);
    const nupkg = Buffer.from(buildNupkg({ id, version: "1.0.0", files: { "a.txt": content } }));
    await writeFile(file, nupkg);
    const words = ["--source", "sealhouse", "--api-key", token, "--skip-duplicate"];
    return {
      name: `nuget ${id}`,
      attempt: async () => reasonOf(await dotnet.run(["nuget", "push", file, ...words])),
      async isWhole(host) {
        const lower = id.toLowerCase();
        const served = await bytesOf(host, `/v3/package/${lower}/1.0.0/${lower}.1.0.0.nupkg`);
        const prefix = nupkg.subarray(0, nupkg.readUInt32LE(nupkg.length - 6));
        return served.subarray(0, prefix.length).equals(prefix);
      },
    };
  };

  const imagePush = async (name: string): Promise<Push> => {
    const layout = join(folder, `layout-${name}`);
    await writeImageLayout(layout, "1.0", 3_000_000);
    const repository = `users/${name}`;
    const to = `docker://${new URL(url).host}/${repository}:1.0`;
    const words = ["--retry-times", "3", "--dest-tls-verify=false", "--dest-creds", `t:${token}`];
    const all = ["--insecure-policy", "copy", ...words, `oci:${layout}:1.0`, to];
    return {
      name: `image ${repository}`,
      attempt: async () => reasonOf(await run("skopeo", all, { env: { HOME: folder } })),
      async isWhole(host) {
        const headers = { authorization: `Basic ${btoa(`t:${token}`)}` };
        const path = `/v2/${repository}`;
        const index = Object(JSON.parse(await readFile(join(layout, "index.json"), "utf8")));
        const { digest } = index["manifests"][0] as { digest: string };
        const manifest = await bytesOf(host, `${path}/manifests/1.0`, headers);
        if (`sha256:${sha256(manifest)}` !== digest) return false;
        const { config, layers } = JSON.parse(manifest.toString()) as Manifest;
        for (const blob of [config, ...layers]) {
          const bytes = await bytesOf(host, `${path}/blobs/${blob.digest}`, headers);
          if (`sha256:${sha256(bytes)}` !== blob.digest) return false;
        }
        return true;
      },
    };
  };

  return {
    pushes: (name) => Promise.all([npmPush(name), nugetPush(name), imagePush(name)]),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A push of an artifact by plain requests. */
export function pushOf(artifact: Artifact, host: TestHost, token: string): Push {
  return {
    name: artifact.name,
    async attempt() {
      const isStored = await artifact.push(host, token).catch(() => false);
      // An earlier attempt may have been stored, and its answer lost.
      return isStored || (await isWhole(artifact, host)) ? undefined : "not acknowledged";
    },
    isWhole: (instance) => isWhole(artifact, instance),
  };
}

/** Attempts a push until it succeeds, at most `attemptsMax` times. Resolves to the failures. */
export async function pushUntilStored(push: Push, attemptsMax: number): Promise<readonly string[]> {
  const failures: string[] = [];
  while (failures.length < attemptsMax) {
    const reason = await push.attempt();
    if (reason === undefined) return failures;
    failures.push(reason);
    await delay(500);
  }
  throw new Error(`${push.name} failed ${attemptsMax} times:\n${failures.join("\n")}`);
}

type Manifest = {
  readonly config: { readonly digest: string };
  readonly layers: readonly { readonly digest: string }[];
};

function reasonOf({ code, output }: Ran): string | undefined {
  return code === 0 ? undefined : output;
}

async function isWhole(artifact: Artifact, host: TestHost): Promise<boolean> {
  return (await artifact.check(host).catch(() => "absent")) === "whole";
}

async function bytesOf(
  host: TestHost,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Buffer> {
  const answer = await host.fetch(path, { headers });
  return Buffer.from(await answer.arrayBuffer());
}

async function jsonOf(host: TestHost, path: string): Promise<unknown> {
  return JSON.parse((await bytesOf(host, path)).toString());
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
