<?php

declare(strict_types=1);

namespace Tillseal\Outbox;

/**
 * A lock that was taken.
 *
 * @internal
 */
final class Held
{
    /** @var array<int, self> */
    private static array $all = [];
    private static bool $isWatched = false;

    public function __construct(
        private readonly Lock $lock,
        private readonly int $generation,
        private readonly string $content,
    ) {
        self::$all[spl_object_id($this)] = $this;
        if (!self::$isWatched) {
            self::$isWatched = true;
            // A request that ends with a fatal error runs no `finally`, and its process lives on for the next one.
            register_shutdown_function(static function (): void {
                foreach (self::$all as $held) {
                    $held->release();
                }
            });
        }
    }

    /** False when this process was stopped for so long that another took it. */
    public function isMine(): bool
    {
        return $this->lock->highest() === $this->generation;
    }

    /** A sign of life. */
    public function renew(): void
    {
        $this->overwrite($this->content);
    }

    public function release(): void
    {
        unset(self::$all[spl_object_id($this)]);
        $this->overwrite(str_pad('{}', strlen($this->content)));
    }

    /** It never was ours. */
    public function abandon(): void
    {
        unset(self::$all[spl_object_id($this)]);
        @unlink($this->lock->path($this->generation));
    }

    private function overwrite(string $content): void
    {
        // In one write of the same length: the file is never empty, whenever this process is killed, and the disk may be full.
        $file = @fopen($this->lock->path($this->generation), 'r+b');
        if ($file !== false) {
            @fwrite($file, $content);
            fclose($file);
        }
    }
}
