import type { Pool } from 'pg';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** How PostgreSQL would go about a statement: the indexes it would use, and the tables it would read from end to end. */
export async function planOf(pool: Pool, { text, values }: { readonly text: string; readonly values: unknown[] }) {
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain (format json) ${text}`, values);
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
