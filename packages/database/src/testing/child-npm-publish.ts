// A process that publishes versions of one npm package at once: <config as JSON> <first> <count>
import { argv, stdout } from "node:process";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { openDatabase } from "../open-database.ts";

const [, , config = "", first = "0", count = "0"] = argv;
await using database = await openDatabase(JSON.parse(config));
const versions = Array.from({ length: Number(count) }, (_, n) => `1.0.${Number(first) + n}`);
await Promise.all(
  versions.map(async (version) => {
    const caller = { actor: "alice" };
    const { status } = await database.npm.recorder.publish(newNpmVersion({ version }), caller);
    stdout.write(`${status} ${version}\n`);
  }),
);
