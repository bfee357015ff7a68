import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openTestPlace, leaveTestServers, testableDatabases } from "@sealhouse/database/testing";
import { afterAll, describe, expect, test } from "vitest";
import { databaseSettings, spawnCli, spawnHost } from "../src/testing/index.ts";
import { openFolder } from "./clients/client.ts";
import { openWay } from "./closable-way.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const servers = testableDatabases().filter((type) => type !== "Sqlite");

describe.each(servers)("%s", (type) => {
  test("a host waits for a database that starts later", async () => {
    await using place = await openTestPlace(type);
    if (place.config.type === "Sqlite") throw new Error("not a server");
    await using way = await openWay(place.config.port);
    await way.close();
    setTimeout(() => void way.open(), 6_000);
    const env = databaseSettings({ ...place.config, port: way.port });
    await using host = await spawnHost({ env });
    expect(host.output()).toContain("waiting for the database; will retry");
    expect((await host.fetch("/health/ready")).status).toBe(200);
  });

  test("a host whose database stays away ends with one exact message", async () => {
    await using folder = await openFolder();
    const port = await closedPort();
    const place = `Server=127.0.0.1;Port=${port};Database=feed;Username=feed`;
    const env = {
      Database__Type: type,
      Database__ConnectionString: place,
      Database__StartTimeout: "00:00:02",
      ASPNETCORE_URLS: "http://127.0.0.1:0",
    };
    const { code, stdout, stderr } = await spawnCli(["serve"], { folder: folder.path, env });
    expect(code).toBe(1);
    expect(stdout).toContain("waiting for the database; will retry");
    expect(stderr).toMatch(
      /^\w+ at 127\.0\.0\.1:\d+ \(database "feed", user "feed"\) does not answer: .*ECONNREFUSED.* The host waited 2 seconds for it \(Database__StartTimeout\)\. Start the database, or correct Database__ConnectionString\.\n$/,
    );
  });
});

test("a command ends without an error when its output closes", async () => {
  await using folder = await openFolder();
  const script = `{ "$0" --conditions=@sealhouse/source "$1" config show | true; } 2>&1`;
  const env = {
    ...process.env,
    Host__DataPath: folder.path,
    ASPNETCORE_ENVIRONMENT: "Development",
  };
  const { stdout } = await promisify(execFile)("bash", ["-c", script, process.execPath, MAIN], {
    env,
    cwd: folder.path,
  });
  expect(stdout).toBe("");
});

afterAll(leaveTestServers);

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

test("a host without a reader of its log finishes its requests and ends", async () => {
  await using host = await spawnHost();
  const exited = host.closeLog();
  // Its line in the log is the first that cannot be written.
  expect((await host.fetch("/v3/index.json")).status).toBe(200);
  expect(await exited).toBe(0);
});
