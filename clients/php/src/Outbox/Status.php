<?php

declare(strict_types=1);

namespace Tillseal\Outbox;

final class Status
{
    /**
     * @param ?string $oldest when the first of the open ones was sold; null when there is none
     * @param list<Parked> $parked
     */
    public function __construct(
        public readonly int $open,
        public readonly ?string $oldest,
        public readonly array $parked,
        public readonly ?Halted $halted,
    ) {
    }
}
