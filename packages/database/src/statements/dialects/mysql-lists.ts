import {
  AndNode,
  BinaryOperationNode,
  DeleteQueryNode,
  FromNode,
  ListNode,
  OperatorNode,
  ParensNode,
  RawNode,
  UpdateQueryNode,
  WhereNode,
  createQueryId,
  createSelectQueryBuilder,
  sql,
} from "#kysely";
import type {
  Compilable,
  Expression,
  Kysely,
  OperationNode,
  OperationNodeSource,
  RawBuilder,
  RootOperationNode,
  SelectQueryBuilder,
  SelectQueryNode,
} from "#kysely";
import type { Tables } from "../tables.ts";

/*
 * MariaDB and MySQL lock every row that they read, also those that the list of `in (…)` then
 * excludes. For a small table they read the table first, and two changes of different rows wait
 * for each other. So a query that locks rows joins its list as the first table.
 */

const LIST_BEGIN = "(select l.item from ";
const EQUAL = OperatorNode.create("=");

/** A JSON list of texts as a table `l` with a column `item`. */
export function textItems(list: Expression<unknown>): RawBuilder<unknown> {
  return sql`json_table(${list}, '$[*]' columns (
    item varchar(512) character set utf8mb4 collate utf8mb4_bin path '$')) l`;
}

export function textsIn(list: Expression<unknown>): RawBuilder<string> {
  return sql`(select l.item from ${textItems(list)})`;
}

export function wholesIn(list: Expression<unknown>): RawBuilder<number> {
  return sql`(select l.item from json_table(${list}, '$[*]' columns (item bigint path '$')) l)`;
}

/** Locks the rows of the query. Reads its list first, if it has one, then its tables in order. */
export function lockingQuery<DB, TB extends keyof DB, O>(
  db: Kysely<Tables>,
  query: SelectQueryBuilder<DB, TB, O>,
): SelectQueryBuilder<DB, TB, O> {
  const node = query
    .modifyFront(sql`straight_join`)
    .forUpdate()
    .toOperationNode();
  const joined = listFirst(node);
  return createSelectQueryBuilder({
    queryId: createQueryId(),
    executor: db.getExecutor(),
    queryNode: joined
      ? { ...node, where: joined.where, from: FromNode.create([joined.list, ...fromsOf(node)]) }
      : node,
  });
}

/** An update or delete that reads its list first. */
export function changingQuery(db: Kysely<Tables>, query: OperationNodeSource): Compilable {
  const node = withListJoined(query.toOperationNode());
  return { compile: () => db.getExecutor().compileQuery(node, createQueryId()) };
}

function withListJoined(node: OperationNode): RootOperationNode {
  if (UpdateQueryNode.is(node) && node.table) {
    const { list, where } = requireList(node);
    return { ...node, where, table: joinedInOrder(list, node.table) };
  }
  if (DeleteQueryNode.is(node)) {
    const { list, where } = requireList(node);
    const tables = [joinedInOrder(list, ListNode.create(node.from.froms))];
    return { ...DeleteQueryNode.cloneWithUsing(node, tables), where };
  }
  throw new Error("The query is neither an update nor a delete.");
}

function joinedInOrder(list: OperationNode, table: OperationNode): RawNode {
  return RawNode.create(["", " straight_join ", ""], [list, table]);
}

type Listed = { readonly list: OperationNode; readonly where: WhereNode };

function requireList(node: { readonly where?: WhereNode }): Listed {
  const listed = listFirst(node);
  if (!listed) throw new Error("The query has no list.");
  return listed;
}

/** The first list that every row must be in, as a table, and the conditions with a join to it. */
function listFirst({ where }: { readonly where?: WhereNode }): Listed | undefined {
  if (!where) return undefined;
  const listed = replaceList(where.where);
  return listed && { list: listed.list, where: WhereNode.create(listed.condition) };
}

type Replaced = { readonly list: OperationNode; readonly condition: OperationNode };

function replaceList(condition: OperationNode): Replaced | undefined {
  if (ParensNode.is(condition)) return replaceList(condition.node);
  if (AndNode.is(condition)) {
    const { left, right } = condition;
    const inLeft = replaceList(left);
    if (inLeft) return { ...inLeft, condition: AndNode.create(inLeft.condition, right) };
    const inRight = replaceList(right);
    return inRight && { ...inRight, condition: AndNode.create(left, inRight.condition) };
  }
  if (!BinaryOperationNode.is(condition)) return undefined;
  const { leftOperand, rightOperand } = condition;
  if (!RawNode.is(rightOperand) || rightOperand.sqlFragments[0]?.startsWith(LIST_BEGIN) !== true) {
    return undefined;
  }
  // Tables may have a column `item`, too.
  const item = sql`listed.listed_item`.toOperationNode();
  return {
    list: RawNode.create(["(select i.item as listed_item from ", " i) listed"], [rightOperand]),
    condition: BinaryOperationNode.create(leftOperand, EQUAL, item),
  };
}

function fromsOf(node: SelectQueryNode): readonly OperationNode[] {
  return node.from?.froms ?? [];
}
