import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createOutgoingFetch } from "@sealhouse/http-server";
import { expect, test } from "vitest";
import {
  ACCESS_KEY,
  hasRadosgw,
  SECRET_KEY,
  startRadosgw,
} from "../../../../packages/storage-aws-s3/src/testing/index.ts";
import type { Artifact, Served } from "../artifacts.ts";
import { npmArtifact, nugetArtifact, ociArtifact } from "../artifacts.ts";
import { openFolder } from "../clients/client.ts";
import type { Ran } from "../clients/client.ts";
import { freePort } from "../free-port.ts";
import { readManual, textsOf } from "../manual-page.ts";
import { forwardTo, hasCompose, openCompose } from "./compose.ts";
import { answers, imageToRun } from "./container.ts";

// Runs deploy/compose.yaml with the commands of docs/containers.md and docs/instances.md. The
// variables of the file name the images: what this machine has instead of public ones.

const PAGE = await readManual("../../../docs/containers.md");
const INSTANCES = await readManual("../../../docs/instances.md");
const ROOT = new URL("../../../../", import.meta.url);
const IMAGE = imageToRun("deploy/compose.yaml is not run");
const SLOW = { timeout: 900_000 };
const SOON = { timeout: 120_000, interval: 500 };
/** First address of the network of the file: the machine, for its containers. */
const MACHINE = "10.89.77.1";

const read = (path: string) => readFile(new URL(path, ROOT), "utf8");
const block = (page: typeof PAGE, name: string): string => {
  const texts = textsOf(page, `sh ${name}`);
  expect(texts.length, `blocks "${name}"`).toBeGreaterThan(0);
  return texts.join("");
};

/** Throws when the page does not have the replaced part. */
function replaced(text: string, from: string, to: string): string {
  expect(text).toContain(from);
  return text.replace(from, to);
}

function tokenIn({ stdout }: Ran): string {
  const [token] = /shp_\w+/.exec(stdout) ?? [];
  if (token === undefined) throw new Error(`no token in ${stdout}`);
  return token;
}

const artifactsOf = (name: string): readonly Artifact[] => [
  nugetArtifact(`Acme.${name}`, randomBytes(100_000)),
  npmArtifact(`acme-${name}`, randomBytes(100_000)),
  ociArtifact(`acme/${name}`, randomBytes(10_000_000)),
];

async function expectPushed(host: Served, token: string, artifacts: readonly Artifact[]) {
  for (const artifact of artifacts) {
    expect(await artifact.push(host, token), artifact.name).toBe(true);
  }
}

async function expectWhole(host: Served, artifacts: readonly Artifact[]) {
  for (const artifact of artifacts) {
    expect([artifact.name, await artifact.check(host)]).toEqual([artifact.name, "whole"]);
  }
}

test("the proxy of the compose file sets the headers of the documented one", async () => {
  const headers = (text: string) => text.match(/proxy_set_header [^;]+;/g)?.toSorted();
  const documented = headers(await read("docs/proxies.md"));
  expect(documented?.length).toBeGreaterThan(5);
  expect(headers(await read("deploy/nginx.conf"))).toEqual(documented);
});

if (IMAGE !== undefined) describeCompose();

function describeCompose(): void {
  const hasParts = hasCompose() && hasRadosgw("deploy/compose.yaml is not run");
  test.skipIf(!hasParts)(
    "the compose file runs one machine, and moves it to three instances",
    SLOW,
    async () => {
      await using opened = new AsyncDisposableStack();
      const { path } = opened.use(await openFolder());
      const radosgw = opened.use(await startRadosgw());
      const store = opened.use(await forwardTo(radosgw.url));
      const [http, https] = [await freePort(), await freePort()];
      const compose = opened.use(
        await openCompose(path, {
          COMPOSE_PROJECT_NAME: `test${randomBytes(3).toString("hex")}`,
          PUBLISH: `127.0.0.1:${http}`,
          PUBLISH_HTTPS: `127.0.0.1:${https}`,
          POSTGRES_PASSWORD: randomBytes(12).toString("hex"),
          S3_ACCESS_KEY: ACCESS_KEY,
          S3_SECRET_KEY: SECRET_KEY,
          S3_BUCKET: await radosgw.createBucket(),
          S3_URL: `http://${MACHINE}:${store.port}`,
        }),
      );
      const ca = await readFile(compose.authority, "utf8");
      const call = createOutgoingFetch({ allowPrivate: true, ca });
      const served = (url: string): Served => ({
        url,
        fetch: (to, init) => call(`${url}${to}`, init),
      });
      const single = served(`http://127.0.0.1:${http}`);
      const nginx = served(`https://localhost:${https}`);
      await compose.shell(block(PAGE, "settings"));
      await compose.configure({
        Feed__PublicBaseUrl: nginx.url,
        Host__TokenHashPepper: randomBytes(24).toString("hex"),
        Feed__Authentication__AllowAnonymousPull: "true",
      });
      await compose.shell(block(PAGE, "passwords"));
      // The name of the project is that of the test.
      const definitions = replaced(block(PAGE, "shell"), " COMPOSE_PROJECT_NAME=sealhouse", "");
      const cluster = (script: string) => compose.shell(`${definitions}${script}`);

      // One machine.
      const [up = "", token = ""] = block(PAGE, "single").trim().split("\n");
      await compose.shell(up);
      expect(await answers(`${single.url}/health/ready`)).toBe(true);
      const first = tokenIn(await compose.shell(token));
      const before = artifactsOf("before");
      await expectPushed(single, first, before);

      // To three instances, with a store of this machine.
      const [servers = "", copy = "", move = "", start = ""] = textsOf(INSTANCES, "sh cluster");
      const own = block(PAGE, "own");
      expect(own.trim()).toBe("cluster up --detach --scale s3=0");
      await cluster(replaced(servers, " s3", ""));
      await cluster(copy);
      const later = artifactsOf("later");
      await expectPushed(single, first, later);
      expect((await cluster(move)).output).toMatch(/Damaged in the source: 0\. Failed: 0/);
      const started = await cluster(replaced(start, "cluster up --detach\n", own));
      expect(started.output).toMatch(/oci: .* 0 damaged/);
      expect(await answers(`${nginx.url}/v3/index.json`, call)).toBe(true);
      expect((await nginx.fetch("/health")).status).toBe(404);
      expect((await nginx.fetch("/metrics")).status).toBe(404);
      await expectWhole(nginx, [...before, ...later]);

      // Three equal instances.
      const names = ["instance-1", "instance-2", "instance-3"];
      for (const name of names) {
        const { stdout } = await cluster(`cluster exec -T ${name} sealhouse health`);
        expect(stdout).toBe("healthy\n");
      }
      const [, create = ""] = block(PAGE, "cluster").trim().split("\n");
      const second = tokenIn(await cluster(create));
      const after = artifactsOf("after");
      await expectPushed(nginx, second, after);
      const [recreate = "", health = ""] = block(PAGE, "update").trim().split("\n");
      for (const name of names) {
        await cluster(recreate.replace("instance-1", name));
        await expectWhole(nginx, [...before, ...later, ...after]);
        const script = health.replace("instance-1", name);
        const isHealthy = () => cluster(script).then(({ stdout }) => stdout, String);
        await expect.poll(isHealthy, SOON).toBe("healthy\n");
      }
      await cluster("cluster stop instance-1 instance-3");
      await expectWhole(nginx, [...before, ...later, ...after]);

      // With the volumes of before.
      await cluster("cluster down --timeout 20");
      await cluster(own);
      expect(await answers(`${nginx.url}/v3/index.json`, call)).toBe(true);
      await expectWhole(nginx, [...before, ...later, ...after]);
    },
  );
}
