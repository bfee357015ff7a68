import { expect, test } from "vitest";
import { spawnCli, spawnHost } from "../src/testing/index.ts";
import { openFolder } from "./clients/client.ts";

test("a command without a reader of its errors ends as SIGPIPE would end it", async () => {
  await using folder = await openFolder();
  const { code, stdout } = await spawnCli(["no-such-command"], {
    folder: folder.path,
    closesStderr: true,
  });
  expect({ code, stdout }).toEqual({ code: 141, stdout: "" });
});

test("a host without a reader of its errors continues", async () => {
  // The first start in Development writes its welcome to standard error after it listens.
  await using host = await spawnHost({ closesStderr: true });
  const token = await host.makeToken();
  const headers = { authorization: `Bearer ${token}` };
  expect((await host.fetch("/npm/-/whoami", { headers })).status).toBe(200);
  expect(await host.stop()).toBe(0);
});
