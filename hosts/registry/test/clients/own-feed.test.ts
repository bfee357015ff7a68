import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { describe, expect, test } from "vitest";
import { textsOf, readManual } from "../manual-page.ts";
import { hasClient, openFolder, run } from "./client.ts";
import { createDotnetClient } from "./dotnet-client.ts";
import { writeImageLayout } from "./image-layout.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** Follows a page: the printed file in a folder where its packages are installed. */
async function followPage(name: string) {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await openFolder()).path;
  const page = await readManual(`../../../docs/${name}`);
  const [install = "", start = ""] = textsOf(page, "sh");
  for (const packageName of install.trim().split(" ").slice(2)) {
    const from = packageName.startsWith("@sealhouse/")
      ? join(ROOT, "packages", packageName.slice("@sealhouse/".length))
      : join(ROOT, "packages/feed/node_modules", packageName);
    await mkdir(join(folder, "node_modules", packageName, ".."), { recursive: true });
    await symlink(from, join(folder, "node_modules", packageName));
  }
  await writeFile(join(folder, "feed.mjs"), textsOf(page, "js").join(""));
  expect(start).toBe("node feed.mjs\n");
  const client = textsOf(page, "sh client").join("");
  const owned = opened.move();
  return {
    folder,
    start: () => startFeed(folder),
    /** The printed command with this word, for the port and the token of this run. */
    command(word: string, feed: { readonly port: string; readonly token: string }) {
      const line = client.split("\n").find((candidate) => candidate.includes(word)) ?? "";
      return line.replaceAll("5000", feed.port).replaceAll("YOUR_TOKEN", feed.token);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function startFeed(folder: string) {
  const args = ["--conditions=@sealhouse/source", "feed.mjs"];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env["PATH"], PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const line = async () => String((await lines.next()).value);
  const [, port = ""] = /^Feed: .*localhost:(\d+)/.exec(await line()) ?? [];
  const [, token = ""] = /^Token: (\S+)$/.exec(await line()) ?? [];
  return {
    port,
    token,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      const [code] = (await once(child, "exit")) as [number | null];
      expect(code).toBe(0);
    },
  };
}

async function sh(command: string, cwd: string, env: Readonly<Record<string, string>>) {
  const ran = await run("sh", ["-c", command], { cwd, env });
  expect(ran.code, `${command}\n${ran.output}`).toBe(0);
  return ran;
}

describe("follows the pages for your own feed", () => {
  test.skipIf(!hasClient("dotnet"))("dotnet pushes, and restores after a restart", async () => {
    await using page = await followPage("your-own-nuget-feed.md");
    const { folder } = page;
    await writeFile(
      join(folder, "Acme.Widgets.1.0.0.nupkg"),
      buildNupkg({ id: "Acme.Widgets", version: "1.0.0" }),
    );
    let first: string;
    {
      await using feed = await page.start();
      first = feed.token;
      const source = `http://localhost:${feed.port}/nuget/v3/index.json`;
      const client = await createDotnetClient({ folder, source });
      await rm(join(folder, "nuget.config"));
      await writeFile(join(folder, "nuget.config"), "<configuration />");
      const words = (word: string) => page.command(word, feed).split(" ").slice(1);
      for (const word of ["add source", "nuget push"]) {
        const ran = await client.run(words(word));
        expect(ran.code, ran.output).toBe(0);
      }
      const refused = await client.run([...words("nuget push").slice(0, -1), "wrong"]);
      expect(refused.output).toContain("403");
    }
    await using feed = await page.start();
    expect(feed.token).toBe(first);
    const source = `http://localhost:${feed.port}/nuget/v3/index.json`;
    const client = await createDotnetClient({ folder: join(folder, "client"), source });
    const project = await client.consumer({ id: "Acme.Widgets", version: "1.0.0" });
    const restored = await client.run(["restore"], project);
    expect(restored.code, restored.output).toBe(0);
  });

  test.skipIf(!hasClient("npm"))("npm publishes, and installs after a restart", async () => {
    await using page = await followPage("your-own-npm-feed.md");
    const { folder } = page;
    const [source, consumer] = [join(folder, "source"), join(folder, "consumer")];
    for (const made of [source, consumer]) await mkdir(made);
    const manifest = { name: "acme-widgets", version: "1.0.0", license: "MIT" };
    await writeFile(join(source, "package.json"), JSON.stringify(manifest));
    await writeFile(join(consumer, "package.json"), "{}");
    const env = {
      HOME: folder,
      npm_config_userconfig: join(folder, ".npmrc"),
      npm_config_cache: join(folder, "npm-cache"),
      npm_config_update_notifier: "false",
    };
    {
      await using feed = await page.start();
      await sh(page.command("npm config", feed), source, env);
      await sh(page.command("npm publish", feed), source, env);
    }
    await using feed = await page.start();
    await sh(page.command("npm install", feed), consumer, env);
    const installed = join(consumer, "node_modules/acme-widgets/package.json");
    expect(JSON.parse(await readFile(installed, "utf8"))).toMatchObject(manifest);
    await sh(page.command("npm config", feed), consumer, env);
    const registry = `--registry http://localhost:${feed.port}/npm/`;
    expect((await sh(`npm whoami ${registry}`, consumer, env)).stdout.trim()).toBe("feed");
  });

  test.skipIf(!hasClient("skopeo"))("skopeo pushes, and pulls after a restart", async () => {
    await using page = await followPage("your-own-oci-feed.md");
    const { folder } = page;
    await writeImageLayout(join(folder, "app"), "1.0");
    const env = { HOME: folder };
    const trusting = (command: string) => command.replace("skopeo", "skopeo --insecure-policy");
    {
      await using feed = await page.start();
      await sh(trusting(page.command("oci:app", feed)), folder, env);
      const wrong = page.command("oci:app", { ...feed, token: "wrong" });
      const refused = await run("sh", ["-c", trusting(wrong)], { cwd: folder, env });
      expect(refused.code).not.toBe(0);
    }
    await using feed = await page.start();
    await sh(trusting(page.command("oci:copy", feed)), folder, env);
    const index = await readFile(join(folder, "copy/index.json"), "utf8");
    const pushed = await readFile(join(folder, "app/index.json"), "utf8");
    const digest = /sha256:[0-9a-f]{64}/;
    expect(digest.exec(index)?.[0]).toBe(digest.exec(pushed)?.[0]);
  });
});
