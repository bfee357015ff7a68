import {
  AggregateFunctionNode,
  AliasNode,
  ColumnNode,
  IdentifierNode,
  ReferenceNode,
  SelectQueryNode,
  TableNode,
} from "#kysely";
import type { OperationNode } from "#kysely";
import { columnTypesOf } from "./column-types.ts";
import type { ColumnType, ColumnTypes } from "./column-types.ts";

/** The columns of each source of a query: a table, or a query in its place. */
type Sources = ReadonlyMap<string, ColumnTypes>;

/**
 * The declared types of the columns that a query reads, by the names that it gives them. `min` and
 * `max` have the type of their column. Other computed columns have none, so they must be numbers or
 * texts.
 */
export function selectedColumns(query: OperationNode, outer: Sources = new Map()): ColumnTypes {
  if (!SelectQueryNode.is(query)) return {};
  const named = new Map(outer);
  for (const { name, expression } of query.with?.expressions ?? []) {
    named.set(name.table.table.identifier.name, selectedColumns(expression, named));
  }
  const joined = (query.joins ?? []).map(({ table }) => table);
  const sources = new Map(
    [...(query.from?.froms ?? []), ...joined].map((source) => [
      nameOf(source),
      columnsOf(AliasNode.is(source) ? source.node : source, named),
    ]),
  );
  const types: Record<string, ColumnType> = {};
  for (const { selection } of query.selections ?? []) {
    const type = typeOf(AliasNode.is(selection) ? selection.node : selection, sources);
    if (type) types[nameOf(selection)] = type;
  }
  return types;
}

function columnsOf(source: OperationNode, named: Sources): ColumnTypes {
  if (!TableNode.is(source)) return selectedColumns(source, named);
  const { name } = source.table.identifier;
  return named.get(name) ?? columnTypesOf(name);
}

function typeOf(node: OperationNode, sources: Sources): ColumnType | undefined {
  if (AggregateFunctionNode.is(node) && (node.func === "max" || node.func === "min")) {
    return node.aggregated[0] && typeOf(node.aggregated[0], sources);
  }
  if (!ReferenceNode.is(node) || !ColumnNode.is(node.column)) return undefined;
  const column = node.column.column.name;
  if (node.table) return sources.get(node.table.table.identifier.name)?.[column];
  return [...sources.values()].find((types) => types[column])?.[column];
}

/** The name of a source or a column. */
function nameOf(node: OperationNode): string {
  if (AliasNode.is(node)) return IdentifierNode.is(node.alias) ? node.alias.name : "";
  if (TableNode.is(node)) return node.table.identifier.name;
  return ReferenceNode.is(node) && ColumnNode.is(node.column) ? node.column.column.name : "";
}
