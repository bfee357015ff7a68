// Writes `dist/empty.sqlite`: the database file that a first start copies.
import { writeEmptyFile } from "./src/schema/write-empty-file.ts";

await writeEmptyFile("dist/empty.sqlite");
