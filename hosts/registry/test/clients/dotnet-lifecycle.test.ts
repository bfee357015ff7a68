import { expect, test } from "vitest";
import { hasClient } from "./client.ts";
import { openDotnetFeed } from "./dotnet-feed.ts";

test.runIf(hasClient("dotnet"))(
  "dotnet shows what a push could do better, what it replaced, and why a number is refused",
  async () => {
    const env = { AllowPackageOverwrites: "true", PackageDeletionBehavior: "HardDelete" };
    await using feed = await openDotnetFeed({ scheme: "http", env });
    const path = await feed.nupkg({ id: "Acme.Lived", version: "1.0.0" });
    const first = await feed.push(path);
    expect(first.output).toMatch(/has no license[\s\S]*has no readme/);
    expect(first.output).toContain("Your package was pushed.");
    expect(first.code).toBe(0);

    await feed.nupkg({ id: "Acme.Lived", version: "1.0.0", files: { "more.txt": "more" } });
    const second = await feed.push(path);
    expect(second.output).toContain("Acme.Lived 1.0.0 was overwritten.");
    expect(second.code).toBe(0);
    const project = await feed.client.consumer({ id: "Acme.Lived", version: "1.0.0" });
    expect((await feed.client.run(["restore"], project)).code).toBe(0);

    const from = ["--non-interactive", "--source", "sealhouse", "--api-key", feed.token];
    const deleted = await feed.client.run(["nuget", "delete", "Acme.Lived", "1.0.0", ...from]);
    expect(deleted.output).toContain("was deleted successfully");
    const refused = await feed.push(path);
    expect(refused.output).toMatch(/409.*Acme\.Lived 1\.0\.0 was deleted on \d{4}-\d\d-\d\d/);
    expect(refused.output).toContain("sealhouse package allow-reuse Acme.Lived 1.0.0");
    expect(refused.code).toBe(1);
  },
  240_000,
);
