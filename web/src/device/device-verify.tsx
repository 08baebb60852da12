import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { AnswerAt, Device } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { Download } from '../parts/download.tsx';
import { count } from '../parts/format.ts';
import { ReceiptLink } from '../parts/links.tsx';
import { Notice } from '../parts/notice.tsx';
import { Panel } from '../parts/panel.tsx';
import { Failure } from '../parts/states.tsx';

type Verdict = AnswerAt<'POST /api/admin/devices/:authorityDeviceId/verify'>;

/** A long history takes several calls; each says where to continue. */
async function prove(authorityDeviceId: number) {
  const proof = { receipts: 0, days: 0, signatures: 0, unproven: 0 };
  for (let FromDay = 1; ; ) {
    const verdict: Verdict = await call('POST /api/admin/devices/:authorityDeviceId/verify', {
      params: { authorityDeviceId },
      query: { FromDay },
    });
    proof.receipts += verdict.Receipts;
    proof.days += verdict.ClosedDays + verdict.OpenDays;
    proof.signatures += verdict.AuthoritySignatures;
    proof.unproven += verdict.UnprovenSignatures;
    if (verdict.Fault !== null || verdict.NextDay === null) return { ...proof, fault: verdict.Fault };
    FromDay = verdict.NextDay;
  }
}
type Proof = Awaited<ReturnType<typeof prove>>;

export function VerifyPanel({ device }: { readonly device: Device }) {
  const deviceId = device.AuthorityDeviceId;
  const verify = useMutation({ mutationFn: () => prove(deviceId) });
  return (
    <Panel title="Prove the chain">
      <Text c="dimmed" maw={640}>
        Computes every hash, signature, counter and closing of this device again from what is stored, with other code,
        and checks what the authority signed. The export lets an auditor do the same without this service.
      </Text>
      <Group>
        <Button onClick={() => verify.mutate()} loading={verify.isPending}>
          Verify now
        </Button>
        <Download
          of="GET /api/admin/devices/:authorityDeviceId/export"
          params={{ authorityDeviceId: deviceId }}
          label="Export for an auditor"
        />
      </Group>
      {verify.error && <Failure error={verify.error} />}
      {verify.data && <Result deviceId={deviceId} proof={verify.data} />}
    </Panel>
  );
}

function Result({ deviceId, proof }: { readonly deviceId: number; readonly proof: Proof }) {
  if (proof.fault === null) {
    return (
      <Notice color="seal" title="The chain holds" role="status">
        {count(proof.receipts)} receipts in {count(proof.days)} {proof.days === 1 ? 'day' : 'days'} are proven, and{' '}
        {count(proof.signatures)} signatures of the authority.
        {proof.unproven > 0 && ` ${count(proof.unproven)} signatures wait for a certificate of the authority.`}
      </Notice>
    );
  }
  const { GlobalCounter, FiscalDayNumber, Reference, Detail, Kind } = proof.fault;
  return (
    <Notice
      color="red"
      title="The chain does not hold"
      role="status"
      actions={
        GlobalCounter !== null && (
          <ReceiptLink deviceId={deviceId} globalCounter={GlobalCounter}>
            See receipt {GlobalCounter}
          </ReceiptLink>
        )
      }
    >
      {Detail} ({Kind}){FiscalDayNumber !== null && `, day ${FiscalDayNumber}`}
      {Reference !== null && `, receipt ${Reference}`}. {count(proof.receipts)} receipts before it hold.
    </Notice>
  );
}
