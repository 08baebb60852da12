import type { Pool } from 'pg';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

interface QueryPlan {
  readonly indexes: readonly string[];
  readonly readWhole: readonly string[];
}

/** How PostgreSQL would go about a statement: the indexes it would use, and the tables it would read from end to end. */
export async function planOf(
  pool: Pool,
  { text, values }: { readonly text: string; readonly values: unknown[] },
): Promise<QueryPlan> {
  return explained(pool, `explain (format json) ${text}`, values);
}

/** The plan that is kept for a prepared statement: for any values, made with what is in the tables now. */
export async function keptPlanOf(pool: Pool, { text }: { readonly text: string }): Promise<QueryPlan> {
  return explained(pool, `explain (format json, generic_plan) ${text}`);
}

async function explained(pool: Pool, statement: string, values?: unknown[]): Promise<QueryPlan> {
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(statement, values);
  const [{ Plan }] = JSON.parse(rows[0]?.['QUERY PLAN'] ?? '') as [{ Plan: PlanNode }];
  const nodes = nodesOf(Plan);
  return {
    indexes: nodes.flatMap((node) => node['Index Name'] ?? []),
    readWhole: nodes.flatMap((node) => (node['Node Type'] === 'Seq Scan' ? (node['Relation Name'] ?? []) : [])),
  };
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
