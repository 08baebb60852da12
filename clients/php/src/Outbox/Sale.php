<?php

declare(strict_types=1);

namespace Tillseal\Outbox;

/**
 * A sale as the journal has it.
 *
 * @internal
 */
final class Sale
{
    /** Signed, Parked or Discarded; null while it is open. */
    public ?string $end = null;
    public int $status = 0;
    public string $answer = '';
    public string $lastAt = '';
    /** @var list<string> */
    public array $lines = [];

    public function __construct(
        public readonly string $reference,
        public readonly int $device,
        public readonly string $body,
        public readonly string $at,
    ) {
    }
}
