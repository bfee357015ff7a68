// A process that migrates at an appointed time: <config as JSON> <time in ms>
import { argv, stdout } from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { migrateDatabase } from "../schema/migrate-database.ts";

const [, , config = "", startTime = "0"] = argv;
await wait(Math.max(0, Number(startTime) - Date.now()));
const { applied } = await migrateDatabase(JSON.parse(config));
stdout.write(`${applied.length}\n`);
