// A process that publishes until its end, and prints what was acknowledged: <config as JSON>
import { argv, stdout } from "node:process";
import { newPackage, testCaller } from "@sealhouse/nuget-protocol/testing";
import { openDatabase } from "../open-database.ts";

const database = await openDatabase(JSON.parse(argv[2] ?? ""));
let next = 0;
const publishForEver = async () => {
  for (;;) {
    const version = `1.0.${next++}`;
    const { status } = await database.nuget.recorder.record(
      newPackage({ id: "Acme.Killed", version }),
      testCaller,
    );
    stdout.write(`${status} ${version}\n`);
  }
};
await Promise.all(Array.from({ length: 20 }, publishForEver));
