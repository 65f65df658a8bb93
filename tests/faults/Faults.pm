# Faults.pm: the tables of device faults (*.faults beside it): reading, checking, applying one to a copy of the model.
package Faults;
use strict;
use warnings;

my $drawing = 'vgpu_render_vulkan'; # the library of the process that draws, which is a program of its own
# Subjects of the catalogue that have no table of their own; all of them are areas for `also`.
my %subject = map { $_ => 1 } qw(umd map vidmm stress);

sub slurp {
    my ($path) = @_;
    open my $in, '<', $path or die "$path: $!\n";
    local $/;
    my $text = <$in>;
    return defined $text ? $text : '';
}

sub spill {
    my ($path, $text) = @_;
    my $folder = '';
    for my $part (split m{/}, $path =~ s{/[^/]*$}{}r) { # mkdir -p
        $folder .= "$part/";
        mkdir $folder unless -d $folder;
    }
    open my $out, '>', $path or die "$path: $!\n";
    print $out $text;
    close $out or die "$path: $!\n";
}

# Faults->read(ROOT): {root, faults => [...], problems => [...]}; a fault is {name, table, area, rule, says, abi, also,
# allowed, survives, where, edits => [[file, old, new], ...]}.
sub read {
    my ($class, $root) = @_;
    my $self = bless { root => $root, faults => [], problems => [], spec => {} }, $class;

    $self->read_table($_) for sort glob "$root/tests/faults/*.faults";
    return $self;
}

sub problem {
    my ($self, $text) = @_;
    push @{ $self->{problems} }, $text;
}

sub read_table {
    my ($self, $path) = @_;
    my ($table) = $path =~ m{([^/]*)\.faults$};
    my ($fault, $file, $old, $new);
    my $state = 'fields';
    my $number = 0;

    for my $line (split /\n/, slurp($path)) {
        my $where = "tests/faults/$table.faults:" . ++$number;
        if ($state eq 'old') {
            if ($line eq '====') { $state = 'new' } else { $old .= "$line\n" }
        } elsif ($state eq 'new') {
            if ($line eq '>>>>') {
                push @{ $fault->{edits} }, [$file, $old, $new];
                $state = 'fields';
            } else {
                $new .= "$line\n";
            }
        } elsif ($line eq '<<<<') {
            $self->problem("$where: <<<< before any file line") unless $fault && defined $file;
            ($old, $new, $state) = ('', '', 'old');
        } elsif ($line =~ /^\s*(#.*)?$/) {
            next;
        } elsif ($line =~ /^fault (\S+)$/) {
            my $name = $1;
            $fault = { name => $name, where => $where, table => $table, abi => "1.4", edits => [] };
            push @{ $self->{faults} }, $fault;
            undef $file;
        } elsif ($fault && $line =~ /^file (\S+)$/) {
            $file = $1;
        } elsif ($fault && $line =~ /^(area|rule|says|abi|program|also|allowed|survives) (.*\S)$/) {
            $fault->{$1} = $2;
        } else {
            $self->problem("$where: not understood: $line");
        }
    }
    $self->problem("tests/faults/$table.faults: ends inside an edit") if $state ne 'fields';
}

# The five names that are nearest to TEXT: by common pairs of letters, and whether they hold it.
sub nearest {
    my ($text, @names) = @_;
    my $pairs = sub { my %p = map { substr($_[0], $_, 2) => 1 } 0 .. length($_[0]) - 2; \%p };
    my $wanted = $pairs->($text);
    my %score;

    for my $name (@names) {
        my $has = $pairs->($name);
        my $common = grep { $has->{$_} } keys %$wanted;
        $score{$name} = 2 * $common / ((keys %$wanted) + (keys %$has) || 1) + (index($name, $text) >= 0);
    }
    @names = sort { $score{$b} <=> $score{$a} || $a cmp $b } @names;
    return @names[0 .. ($#names < 4 ? $#names : 4)];
}

sub find {
    my ($self, $name) = @_;
    my ($fault) = grep { $_->{name} eq $name } @{ $self->{faults} };
    return $fault;
}

# The model's sources as the fault has them, by file; problems noted.
sub edited {
    my ($self, $fault) = @_;
    my %text;

    for my $edit (@{ $fault->{edits} }) {
        my ($file, $old, $new) = @$edit;
        my $path = "$self->{root}/tests/device/$file";
        if (!-f $path) {
            $self->problem("$fault->{where}: $fault->{name}: no file tests/device/$file");
            next;
        }
        $text{$file} = slurp($path) unless defined $text{$file};
        my $count = () = $old eq '' ? () : "\n$text{$file}" =~ /(?<=\n)\Q$old\E/g;
        if ($count != 1) {
            $self->problem("$fault->{where}: $fault->{name}: its old lines stand $count times in tests/device/$file");
            next;
        }
        if ($old eq $new) {
            $self->problem("$fault->{where}: $fault->{name}: changes nothing");
            next;
        }
        $text{$file} =~ s/(?:^|(?<=\n))\Q$old\E/$new/;
    }
    return \%text;
}

sub check_citation {
    my ($self, $at, $citation) = @_;
    my ($file, $section) = $citation =~ /^(\S+\.md)(?: (\d+(?:\.\d+)*))?$/;
    my $text;

    if (defined $file) {
        my ($found) = grep { -f } map { "$self->{root}/$_/$file" } qw(pci ring mm umd-port);
        $self->{spec}{$file} = defined $found ? slurp($found) : undef unless exists $self->{spec}{$file};
        $text = $self->{spec}{$file};
    }
    if (!defined $text) {
        $self->problem("$at names no part of the specification: $citation");
    } elsif (defined $section && $text !~ /^#+ \Q$section\E(?![\d.]*\d)/m) {
        $self->problem("$at: $file has no section $section");
    }
}

sub check_entry {
    my ($self, $fault) = @_;
    my $at = "$fault->{where}: $fault->{name}";

    $self->problem("$at: a name is lower-case letters, digits and underscores")
        if $fault->{name} !~ /^[a-z][a-z0-9_]*$/;
    for my $field (qw(area rule says)) {
        $self->problem("$at: no $field") unless defined $fault->{$field};
    }
    $self->problem("$at: nothing to edit") unless @{ $fault->{edits} };
    $self->problem("$at: abi is 1.4 or legacy") unless $fault->{abi} eq '1.4' || $fault->{abi} eq 'legacy';
    my $table = $fault->{abi} eq 'legacy' ? 'legacy' : $fault->{area} // '';
    $self->problem("$at: belongs into $table.faults") if $fault->{table} ne $table;
    $self->problem("$at: says is one sentence that ends with a point") if ($fault->{says} // '.') !~ /\.$/;
    $self->check_citation("$at: rule", $fault->{rule}) if defined $fault->{rule};
    if (defined $fault->{allowed}) {
        my ($citation) = $fault->{allowed} =~ /^([^:]*): \S.*\.$/;
        $self->problem("$at: allowed is \"FILE.md SECTION: what it lets a device do.\"") unless defined $citation;
        $self->check_citation("$at: allowed", $citation) if defined $citation;
    }
    if (defined $fault->{survives} && $fault->{survives} !~ /^(?:any|both): \S.*\.$/) {
        $self->problem("$at: survives is \"any: why.\" or \"both: why.\"");
    }
    for my $area (split / /, $fault->{also} // '') {
        $self->problem("$at: also: $area is no table")
            unless -f "$self->{root}/tests/faults/$area.faults" || $subject{$area};
        $self->problem("$at: also names its own area") if $area eq ($fault->{area} // '');
    }
    $self->edited($fault);
}

# The faults that the model itself can switch on: {name, area, rule, says}.
sub runtime {
    my ($self) = @_;
    my @found;

    my $text = slurp("$self->{root}/tests/device/faults.def");
    while ($text =~ /^VGPU_FAULT\(\w+, "(\w+)", "(\w+)", "([^"]+)", \d+, "([^"]+)"\)$/mg) {
        push @found, { name => $1, area => $2, rule => $3, says => $4 };
    }
    return @found;
}

sub check {
    my ($self) = @_;
    my %first;
    my %runtime = map { $_->{name} => 1 } $self->runtime;

    for my $fault ($self->runtime) {
        $self->check_citation("tests/device/faults.def: $fault->{name}: rule", $fault->{rule});
        $self->problem("tests/device/faults.def: $fault->{name}: no area $fault->{area}")
            unless -f "$self->{root}/tests/faults/$fault->{area}.faults";
    }
    for my $fault (@{ $self->{faults} }) {
        my $name = $fault->{name};
        $self->problem("$fault->{where}: $name stands at $first{$name} too") if defined $first{$name};
        $self->problem("$fault->{where}: $name is a run-time fault of tests/device/faults.def") if $runtime{$name};
        $first{$name} = $fault->{where};
        $self->check_entry($fault);
    }
}

# How BUILD, a configured build folder of the tree, makes TARGET (a ninja target, a program): to be asked once for many
# faults: what may have to be compiled anew for it, what includes what, the link commands.
sub recipe {
    my ($self, $build, $target) = @_;
    my %recipe = (build => $build, compile => [], includes => {}, target => $target);
    my $object;

    for (split /\n/, `ninja -C $build -t deps`) {
        if (/^(\S+): #deps/) { $object = $1 }
        elsif (/^\s+(\S+)/) { my $dep = $1; $dep =~ s{^(?:\.\./)+}{$self->{root}/}; $recipe{includes}{$object}{$dep} = 1 }
    }
    for my $program ($target, 'bin/agpu-render') {
        ($recipe{link}{$program}) = reverse split /\n/, `ninja -C $build -t commands $program 2>/dev/null`;
    }
    my $link = $recipe{link}{$target} // '';
    die "$build does not know how to link $target\n" unless $link =~ / -o \S+ /;
    my $commands = slurp("$build/compile_commands.json");
    while ($commands =~ /"command": "((?:[^"\\]|\\.)*)",\s*"file": "([^"]*)"/g) {
        my ($compile, $source) = ($1, $2);
        $compile =~ s/\\(.)/$1/g;
        my ($made) = $compile =~ / -o (\S+) -c /;
        next unless defined $made;
        my ($library) = $made =~ m{/([^/]*)\.dir/};
        push @{ $recipe{compile} }, [$compile, $source, $made]
            if $library eq $drawing || index($link, "/lib$library.a ") >= 0 || index($link, " $made ") >= 0;
    }
    return \%recipe;
}

# Writes the fault's sources to OUT/tests/device and OUT/build.sh, which builds the target there, by its own name: what
# is changed, and what includes a changed header, goes before the libraries. Dies when that cannot be.
sub apply {
    my ($self, $recipe, $fault, $out) = @_;
    my ($root, $build) = ($self->{root}, $recipe->{build});
    my (%rebuild, @script, %made_by);

    local $self->{problems} = [];
    my $text = $self->edited($fault);
    die join("\n", @{ $self->{problems} }, '') if @{ $self->{problems} };
    for my $file (sort keys %$text) {
        spill("$out/tests/device/$file", $text->{$file});
        $rebuild{"$root/tests/device/$file"} = 1 if $file =~ /\.c$/;
    }
    my @headers = map { "$root/tests/device/$_" } grep { /\.h$/ } keys %$text;
    for (@{ $recipe->{compile} }) {
        my ($compile, $source, $made) = @$_;
        next unless $rebuild{$source} || grep { $recipe->{includes}{$made}{$_} } @headers;
        $rebuild{$source} = 0 if defined $rebuild{$source};
        my $object = "$out/" . @script . '.o';
        my $copy = $source =~ s{^\Q$root\E}{$out}r;
        $copy = $source unless -f $copy;
        push @script, $compile =~ s/ -o \S+ -c \S+/ -w -g0 -iquote $out -o $object -c $copy/r;
        $made_by{$made} = $object;
    }
    my @missing = grep { $rebuild{$_} } sort keys %rebuild;
    die "not part of $recipe->{target}: @missing\n" if @missing;
    my @helper = grep { m{/$drawing\.dir/} } sort keys %made_by;
    if (@helper) { # the drawing process: found beside the program
        push @script, link_line($recipe->{link}{'bin/agpu-render'}, "$out/agpu-render", map { $made_by{$_} } @helper);
        delete @made_by{@helper};
    }
    my $link = $recipe->{link}{ $recipe->{target} };
    for my $made (sort keys %made_by) { # an object of the program itself stands in the line
        delete $made_by{$made} if $link =~ s{(?<= )\Q$made\E(?= )}{$made_by{$made}};
    }
    push @script, link_line($link, "$out/" . ($recipe->{target} =~ s{.*/}{}r), map { $made_by{$_} } sort keys %made_by);
    spill("$out/build.sh", join("\n", 'set -e', "cd $build", @script, ''));
}

sub link_line {
    my ($line, $program, @objects) = @_;
    $line =~ s{ -o \S+ }{ -s -o $program @objects } or die "the link command is not understood: $line\n";
    return $line;
}

1;
