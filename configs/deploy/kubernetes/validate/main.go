// Command validate reads Kubernetes manifests from its input and says what in them
// Kubernetes, or the Prometheus operator, does not know, or what would not run where we
// say that they do. It needs no cluster.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

func main() {
	if err := validate(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func validate(manifests io.Reader, out io.Writer) error {
	known := runtime.NewScheme()
	if err := errors.Join(scheme.AddToScheme(known), monitoring.AddToScheme(known)); err != nil {
		return err
	}
	decoder := serializer.NewCodecFactory(known, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewYAMLReader(bufio.NewReader(manifests))
	var all []runtime.Object
	for n := 0; ; n++ {
		document, err := documents.Read()
		switch {
		case errors.Is(err, io.EOF) && n == 0:
			return errors.New("no manifest")
		case errors.Is(err, io.EOF):
			return backends(all)
		case err != nil:
			return err
		}
		object, kind, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return fmt.Errorf("document %d: %w", n+1, err)
		}
		if err := promises(object); err != nil {
			return fmt.Errorf("%s: %w", kind.Kind, err)
		}
		all = append(all, object)
		_, _ = fmt.Fprintln(out, kind.Kind, "is valid")
	}
}
