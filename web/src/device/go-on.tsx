import { Checkbox, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { live } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { ConfirmButton } from '../parts/actions.tsx';
import { sentence } from '../parts/format.ts';
import { Loaded } from '../parts/states.tsx';

/** Going on behind receipts that are missing here: says first what is lost, and what follows. */
export function GoOn({ deviceId }: { readonly deviceId: number }) {
  const params = { authorityDeviceId: deviceId };
  const chain = useQuery({
    ...live('GET /api/admin/devices/:authorityDeviceId/chain', { params }),
    refetchInterval: 10_000,
  });
  const [sureOf, setSureOf] = useState<number>();
  const mayGoOn = useMay('POST /api/admin/devices/:authorityDeviceId/chain');
  return (
    <Loaded query={chain} rows={1}>
      {({ GlobalCounter: number, Obstacle, Consequences }) => {
        if (number === null) return <Text>The chain cannot go on yet: {sentence(Obstacle ?? '')}</Text>;
        const name = `Go on behind receipt ${number}`;
        if (!mayGoOn)
          return <Text>The chain can go on behind receipt {number}. An admin of the installation decides.</Text>;
        return (
          <ConfirmButton
            danger
            label={name}
            title={name}
            isReady={sureOf === number}
            done={`The next receipt follows receipt ${number}.`}
            of="POST /api/admin/devices/:authorityDeviceId/chain"
            given={{ params, body: { GlobalCounter: number } }}
          >
            <List spacing="xs" size="sm" mb="md">
              {[...Consequences, LAST_WORD].map((words) => (
                <List.Item key={words}>{words}</List.Item>
              ))}
            </List>
            <Checkbox
              label="I have read what follows, and the old database is gone"
              checked={sureOf === number}
              onChange={(event) => setSureOf(event.currentTarget.checked ? number : undefined)}
            />
          </ConfirmButton>
        );
      }}
    </Loaded>
  );
}

const LAST_WORD = 'It cannot be taken back. If the old database still exists, go back to it instead.';
