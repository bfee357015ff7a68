// Writes `dist/empty.sqlite.br`: the database file that a first start unpacks.
import { writeEmptyFile } from "./src/schema/write-empty-file.ts";

await writeEmptyFile("dist/empty.sqlite.br");
