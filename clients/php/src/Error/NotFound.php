<?php

declare(strict_types=1);

namespace Tillseal\Error;

/** 404: there is nothing of this name, or it is not yours. */
final class NotFound extends Problem
{
}
