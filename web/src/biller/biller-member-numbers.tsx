import { SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Panel } from '../parts/panel.tsx';
import type { BillerFormProps } from './biller-sections.tsx';

/** The same engine as the service's: what matches here matches there. Loaded when it is needed. */
const engineQuery = { queryKey: ['re2'], queryFn: () => import('re2js'), staleTime: Number.POSITIVE_INFINITY };

export function MemberNumbers({ form }: BillerFormProps) {
  const [sample, setSample] = useState('');
  return (
    <Panel title="Member numbers">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="Pattern"
          description="The whole number must match (RE2 syntax); leave empty to accept any"
          classNames={{ input: 'mono' }}
          spellCheck={false}
          {...form.getInputProps('MemberNumberRegex')}
        />
        <Stack gap={4}>
          <TextInput
            label="Try a number"
            description="Only for you; it is not saved"
            classNames={{ input: 'mono' }}
            spellCheck={false}
            value={sample}
            onChange={(event) => setSample(event.currentTarget.value)}
          />
          {sample !== '' && <Verdict pattern={form.values.MemberNumberRegex} sample={sample} />}
        </Stack>
      </SimpleGrid>
    </Panel>
  );
}

function Verdict({ pattern, sample }: { readonly pattern: string; readonly sample: string }) {
  const { data: engine } = useQuery(engineQuery);
  if (pattern === '') return <Answer isGood>Taken: any number is.</Answer>;
  if (engine === undefined) return null;
  try {
    const isMatch = engine.RE2JS.compile(pattern).matches(sample);
    return <Answer isGood={isMatch}>{isMatch ? 'Taken: it matches.' : 'Refused: it does not match.'}</Answer>;
  } catch (error) {
    return <Answer>{`The pattern cannot be read: ${error instanceof Error ? error.message : String(error)}`}</Answer>;
  }
}

function Answer({ isGood = false, children }: { readonly isGood?: boolean; readonly children: string }) {
  return (
    <Text
      role="status"
      className="wrap-anywhere"
      c={isGood ? 'var(--mantine-color-seal-light-color)' : 'var(--mantine-color-error)'}
    >
      {children}
    </Text>
  );
}
